import Negotiator from 'negotiator'
import { de } from './de/catalogue.ts'
import { type Catalogue, en } from './en/catalogue.ts'
import { es } from './es/catalogue.ts'
import { fr } from './fr/catalogue.ts'

const catalogues = { en, de, fr, es }

export type Language = keyof typeof catalogues

/** All page texts, in one language. */
export type Texts = Catalogue & { language: Language }

/** The first is the default. */
export const languages: readonly Language[] = ['en', 'de', 'fr', 'es']

/** Each in its own language. */
export const languageNames: Record<Language, string> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
}

/**
 * Uses the language that the user has `chosen`, otherwise the partner's `ui_locales` (OpenID Connect Core section 3.1.2.1: tags
 * in order of preference; unsupported ones are ignored), otherwise the browser's `Accept-Language`.
 */
export function chooseTexts(
  uiLocales: string | undefined,
  acceptLanguage: string | undefined,
  chosen?: string,
): Texts {
  const requested = [chosen, ...(uiLocales ?? '').split(' ')].map((tag) => tag?.split('-')[0]?.toLowerCase())
  const preferred = requested.find((tag) => languages.some((language) => language === tag))
  const accepted = new Negotiator({ headers: { 'accept-language': acceptLanguage } })
  const best = preferred ?? accepted.language([...languages])
  const language = languages.find((language) => language === best) ?? 'en'
  return { ...catalogues[language], language }
}

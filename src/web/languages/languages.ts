import Negotiator from 'negotiator'
import { de } from './de.tsx'
import { type Catalogue, en } from './en.tsx'
import { es } from './es.tsx'
import { fr } from './fr.tsx'

const catalogues = { en, de, fr, es }

export type Language = keyof typeof catalogues

/** Everything our pages say, in one language. */
export type Texts = Catalogue & { language: Language }

/** The first is what a browser is given that asks for none of them. */
export const languages: readonly Language[] = ['en', 'de', 'fr', 'es']

/**
 * What the partner asked for (`ui_locales`, OpenID Connect Core section 3.1.2.1: tags in order of preference, and those
 * we do not speak are passed over), otherwise what the browser asks for.
 */
export function chooseTexts(uiLocales: string | undefined, acceptLanguage: string | undefined): Texts {
  const asked = (uiLocales ?? '').split(' ').map((tag) => tag.split('-')[0]?.toLowerCase())
  const preferred = asked.find((tag) => languages.some((language) => language === tag))
  const accepted = new Negotiator({ headers: { 'accept-language': acceptLanguage } })
  const chosen = preferred ?? accepted.language([...languages])
  const language = languages.find((language) => language === chosen) ?? 'en'
  return { ...catalogues[language], language }
}

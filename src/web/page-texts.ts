import { fastifyCookie } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { cookieName, cookieOptions } from './cookies.ts'
import { chooseTexts, type Language, type Texts } from './languages/languages.ts'

const cookie = 'latchkey-language'

/** A year, in seconds. */
const maxAge = 365 * 86_400

/**
 * The texts for a page. The language that the user has chosen on a page comes first, then the partner's `ui_locales`, then
 * the browser's `Accept-Language` (docs/adr/0034).
 */
export function pageTexts({ headers }: FastifyRequest, config: Config, uiLocales?: string): Texts {
  // Parsed here, because the API answers people with a page too, and has no cookies otherwise.
  const chosen = fastifyCookie.parse(headers.cookie ?? '')[cookieName(config, cookie)]
  return chooseTexts(uiLocales, headers['accept-language'], chosen)
}

export function rememberLanguage(reply: FastifyReply, config: Config, language: Language): void {
  reply.setCookie(cookieName(config, cookie), language, { ...cookieOptions(config), maxAge })
}

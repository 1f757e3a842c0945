import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import Type, { type Static } from '../typebox.ts'
import { languages } from './languages/languages.ts'
import type { Web } from './page-edge.tsx'
import { rememberLanguage } from './page-texts.ts'

const LanguageForm = Type.Object({
  to: Type.Union(languages.map((language) => Type.Literal(language))),
  /** The page from which the user comes: path and query. */
  back: Type.String(),
})

/**
 * The switch between languages, which is on every page. It needs no CSRF token: it changes only the language, and with a
 * token every page would set a cookie. Forms of other sites are refused.
 */
export function languageRoutes(app: FastifyInstance, config: Config, web: Web): void {
  app.post<{ Body: Static<typeof LanguageForm> }>(
    '/language',
    { schema: { body: LanguageForm }, preValidation: web.sameOrigin },
    ({ body: { to, back } }, reply) => {
      rememberLanguage(reply, config, to)
      return reply.redirect(ownAddress(back, config.authUrl), 303)
    },
  )
}

/** A complete address of this origin: `//host` and `/\host` would lead elsewhere, and so would `/.//host` as a path. */
function ownAddress(back: string, authUrl: string): string {
  const url = URL.canParse(back, authUrl) ? new URL(back, authUrl) : undefined
  return url?.origin === authUrl ? url.href : `${authUrl}/`
}

import type { FastifyInstance, FastifyReply } from 'fastify'
import Type, { type Static } from 'typebox'
import type { Context } from '../context.ts'
import type { Web } from '../http/web-edge.tsx'
import { findPartner } from '../partners/partners.sql.ts'
import { logOut } from '../sessions/log-out.ts'
import { sessionHash, setSessionCookie } from '../sessions/session-cookie.ts'
import { openSession } from '../sessions/sessions.sql.ts'
import { browserOf, rememberBrowser } from './known-browser.ts'
import { logIn } from './login.ts'
import { LoginPage, type LoginRefusal } from './pages.tsx'
import { renewed } from './renewed-request.ts'
import { unseal } from './sealed-request.ts'

const LoginForm = Type.Object({
  email: Type.String({ maxLength: 320 }),
  password: Type.String(),
  request: Type.Optional(Type.String()),
})
const RequestOnly = Type.Object({ request: Type.Optional(Type.String()) })
const LogoutForm = Type.Object({ ...RequestOnly.properties, logout: Type.Optional(Type.String()) })

export function loginRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const { config, database, now } = context

  const form = async (
    reply: FastifyReply,
    status: number,
    shown: { request?: string | undefined; email?: string; refusal?: LoginRefusal },
  ) => {
    const texts = await web.texts(reply.request)
    const opened = await partnerOf(shown.request, context)
    const page = (
      <LoginPage
        {...shown}
        texts={texts}
        csrf={web.csrfToken(reply)}
        email={shown.email ?? opened.email}
        partnerName={opened.partnerName}
      />
    )
    return web.page(reply, texts, status, texts.login.heading, page)
  }

  app.get<{ Querystring: Static<typeof RequestOnly> }>(
    '/login',
    { schema: { querystring: RequestOnly } },
    (request, reply) => form(reply, 200, { request: request.query.request }),
  )

  app.post<{ Body: Static<typeof LoginForm> }>(
    '/login',
    { schema: { body: LoginForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const { email, password, request: sealed } = request.body
      const browser = browserOf(request, config)
      const outcome = await logIn(context, { email, password, address: request.ip, browser })
      request.log.info({
        event: 'login',
        outcome: outcome.kind,
        ...(outcome.kind === 'welcome' && { user_id: outcome.userId }),
      })
      switch (outcome.kind) {
        case 'welcome': {
          const old = sessionHash(request, config)
          const session = setSessionCookie(reply, config)
          await database.one(openSession, [session, outcome.userId, old, now(), outcome.credential])
          rememberBrowser(reply, config, browser, outcome.proof)
          return reply.redirect(nextPage(sealed && (await renewed(sealed, context))), 303)
        }
        case 'refused':
          return form(reply, 403, { request: sealed, email, refusal: outcome })
        case 'throttled':
          reply.header('retry-after', String(outcome.retryAfterSeconds))
          return form(reply, 429, { request: sealed, email, refusal: outcome })
        case 'busy':
          reply.header('retry-after', '5')
          return form(reply, 503, { request: sealed, email, refusal: outcome })
      }
    },
  )

  app.post<{ Body: Static<typeof LogoutForm> }>(
    '/logout',
    { schema: { body: LogoutForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const { request: sealed, logout } = request.body
      await logOut(request, reply, context)
      // Where nobody is logged in any more, a partner's logout request goes on.
      const next = logout === undefined ? nextPage(sealed) : `/logout?${new URLSearchParams({ logout })}`
      return reply.redirect(next, 303)
    },
  )
}

/** After a login there are two places to go to and both are ours: no return address is ever read from a request. */
function nextPage(sealed: string | undefined): string {
  return sealed ? `/connect?${new URLSearchParams({ request: sealed })}` : '/connections'
}

async function partnerOf(
  sealed: string | undefined,
  { database, keys, now }: Context,
): Promise<{ partnerName?: string | undefined; email?: string | undefined }> {
  const opened = sealed ? await unseal(sealed, keys.seal, now()) : undefined
  if (opened?.kind !== 'open') return {}
  const partner = await database.maybe(findPartner, [opened.request.clientId])
  return { partnerName: partner?.name, email: opened.request.loginHint }
}

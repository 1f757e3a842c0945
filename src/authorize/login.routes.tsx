import type { FastifyInstance, FastifyReply } from 'fastify'
import Type, { type Static } from 'typebox'
import type { Context } from '../context.ts'
import type { Web } from '../http/web-edge.tsx'
import { findPartner } from '../partners/partners.sql.ts'
import { clearSessionCookie, sessionHash } from '../sessions/session-cookie.ts'
import { endSession } from '../sessions/sessions.sql.ts'
import { startSession } from '../sessions/start-session.ts'
import { logIn } from './login.ts'
import { LoginPage } from './pages.tsx'
import { unseal } from './sealed-request.ts'

/** Where the login leads: on with a sealed request, or to a page of ours. No return address is ever read from a request. */
const Destination = {
  request: Type.Optional(Type.String()),
  page: Type.Optional(Type.Union([Type.Literal('sessions'), Type.Literal('password')])),
}
const DestinationOnly = Type.Object(Destination)
type Destination = Static<typeof DestinationOnly>

const LoginForm = Type.Object({
  email: Type.String({ maxLength: 320 }),
  password: Type.String(),
  ...Destination,
})

export function loginRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const { config, database } = context

  const form = async (
    reply: FastifyReply,
    status: number,
    shown: Destination & { email?: string; fault?: string },
  ) => {
    const opened = await partnerOf(shown.request, context)
    const page = (
      <LoginPage
        {...shown}
        csrf={web.csrfToken(reply)}
        email={shown.email ?? opened.email}
        partnerName={opened.partnerName}
      />
    )
    return web.page(reply, await web.texts(reply.request), status, 'Log in', page)
  }

  app.get<{ Querystring: Destination }>(
    '/login',
    { schema: { querystring: DestinationOnly } },
    (request, reply) => form(reply, 200, request.query),
  )

  app.post<{ Body: Static<typeof LoginForm> }>(
    '/login',
    { schema: { body: LoginForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const { email, password, ...destination } = request.body
      const outcome = await logIn(context, { email, password, source: request.ip })
      request.log.info({
        event: 'login',
        outcome: outcome.kind,
        ...(outcome.kind === 'welcome' && { user_id: outcome.userId }),
      })
      switch (outcome.kind) {
        case 'welcome':
          await startSession(context, request, reply, outcome)
          return reply.redirect(nextPage(destination), 303)
        case 'refused':
          return form(reply, 403, {
            ...destination,
            email,
            fault: 'The email address or the password is not right.',
          })
        case 'throttled': {
          const minutes = Math.ceil(outcome.retryAfterSeconds / 60)
          const fault = `There were too many attempts. Please try again in ${minutes} minute${minutes === 1 ? '' : 's'}.`
          reply.header('retry-after', String(outcome.retryAfterSeconds))
          return form(reply, 429, { ...destination, email, fault })
        }
      }
    },
  )

  app.post<{ Body: Destination }>(
    '/logout',
    { schema: { body: DestinationOnly }, preValidation: web.ownForm },
    async (request, reply) => {
      const hash = sessionHash(request, config)
      if (hash) await database.maybe(endSession, [hash])
      clearSessionCookie(reply, config)
      return reply.redirect(nextPage(request.body), 303)
    },
  )
}

function nextPage({ request, page }: Destination): string {
  return request ? `/connect?${new URLSearchParams({ request })}` : `/${page ?? 'connections'}`
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

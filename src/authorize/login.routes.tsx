import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { browserOf } from '../login/known-browser.ts'
import { logIn } from '../login/log-in.ts'
import { refusalStatus } from '../login/refusal.ts'
import { findPartner } from '../partners/partners.sql.ts'
import Type, { type Static } from '../typebox.ts'
import type { Web } from '../web/edge.tsx'
import type { RecoveryLink } from '../web/error-page.tsx'
import type { Texts } from '../web/languages/languages.ts'
import { finishLogin } from './finish-login.ts'
import { LoginPage, type LoginRefusal } from './login-page.tsx'
import { openPageRequest } from './page-request.ts'
import { passkeyLogin } from './passkey-login.routes.tsx'
import { Destination, withDestination } from './sealed-request.ts'

const LoginForm = Type.Object({
  email: Type.String({ maxLength: 320 }),
  password: Type.String(),
  ...Destination.properties,
})

export function loginRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const { config } = context

  app.get<{ Querystring: Destination }>(
    '/login',
    { schema: { querystring: Destination } },
    (request, reply) => sendLoginPage({ context, web, request, reply, destination: request.query }),
  )

  app.post<{ Body: Static<typeof LoginForm> }>(
    '/login',
    { schema: { body: LoginForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const { email, password, ...destination } = request.body
      const browser = browserOf(request, config)
      const outcome = await logIn(context, { email, password, address: request.ip, browser })
      request.log.info({
        event: 'login',
        outcome: outcome.kind,
        ...(outcome.kind === 'welcome' && { user_id: outcome.login.userId }),
      })
      if (outcome.kind !== 'welcome') {
        return sendLoginPage({ context, web, request, reply, destination, email, refusal: outcome })
      }
      return finishLogin(context, request, reply, { login: outcome.login, destination })
    },
  )
}

async function sendLoginPage(shown: {
  context: Context
  web: Web
  request: FastifyRequest
  reply: FastifyReply
  destination: Destination
  email?: string
  refusal?: LoginRefusal
}): Promise<FastifyReply> {
  const { context, web, request, reply, destination, refusal } = shown
  const { authorization, texts } = await openPageRequest(context, request)
  const authorizationRequest = authorization.kind === 'open' ? authorization.request : undefined
  const partner =
    authorizationRequest && (await context.database.maybe(findPartner, [authorizationRequest.clientId]))
  const csrf = web.csrfToken(reply)
  const body = (
    <LoginPage
      {...destination}
      texts={texts}
      csrf={csrf}
      passkey={await passkeyLogin({ context, csrf, destination, texts })}
      email={shown.email ?? authorizationRequest?.loginHint}
      partnerName={partner?.name}
      refusal={refusal}
      recoveryLink={recoveryLink(context, destination, texts)}
    />
  )
  const status = refusal ? refusalStatus(reply, refusal) : 200
  return web.page({ reply, texts, status, title: texts.login.heading, body, passkeys: true })
}

/** For users who have forgotten their password: by mail, or if the server sends none, by the platform's support. */
function recoveryLink(
  { config }: Context,
  destination: Destination,
  { recovery }: Texts,
): RecoveryLink | undefined {
  const { supportUrl } = config.brand
  if (!config.mail) return supportUrl ? { label: recovery.support, href: supportUrl } : undefined
  return { label: recovery.forgotten, href: withDestination('/password/forgotten', destination) }
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { foldCase } from '../directory/case-folding.ts'
import type { ProviderClients } from '../idp/provider-clients.ts'
import { findProvider, findProviderOfDomain, loginChoices } from '../idp/providers.sql.ts'
import { browserOf } from '../login/known-browser.ts'
import { logIn } from '../login/log-in.ts'
import { refusalStatus } from '../login/refusal.ts'
import { findPartner } from '../partners/partners.sql.ts'
import Type, { type Static } from '../typebox.ts'
import type { RecoveryLink } from '../web/error-page.tsx'
import type { Texts } from '../web/languages/languages.ts'
import type { Web } from '../web/page-edge.tsx'
import { finishLogin } from './finish-login.ts'
import { LoginPage, type LoginRefusal, type LoginStep } from './login-page.tsx'
import { openPageRequest } from './page-request.ts'
import { passkeyLogin } from './passkey-login.routes.tsx'
import { goToProvider } from './provider-login.tsx'
import { Destination, withDestination } from './sealed-request.ts'

/** How the user wants to log in. Without a choice, the only provider is used at once. */
const Choice = Type.Object({
  choose: Type.Optional(Type.Union([Type.Literal('password'), Type.Literal('account')])),
})
type Choice = Static<typeof Choice>

const LoginQuery = Type.Object({ ...Destination.properties, ...Choice.properties })

/** Without a password, the domain of the address decides how the login goes on. */
const LoginForm = Type.Object({
  email: Type.String({ maxLength: 320 }),
  password: Type.Optional(Type.String()),
  ...Destination.properties,
})

export function loginRoutes(
  app: FastifyInstance,
  context: Context,
  web: Web,
  providers: ProviderClients,
): void {
  const { config } = context

  app.get<{ Querystring: Static<typeof LoginQuery> }>(
    '/login',
    { schema: { querystring: LoginQuery } },
    (request, reply) => {
      const { choose, ...destination } = request.query
      return sendLoginPage({ context, web, providers, request, reply, destination, choose })
    },
  )

  app.post<{ Body: Static<typeof LoginForm> }>(
    '/login',
    { schema: { body: LoginForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const { email, password, ...destination } = request.body
      const exchange = { context, web, providers, request, reply, destination, email }
      if (password === undefined) return sendByDomain(exchange)
      const browser = browserOf(request, config)
      const outcome = await logIn(context, {
        email,
        password,
        address: request.ip,
        browser,
        log: request.log,
      })
      request.log.info({
        event: 'login',
        outcome: outcome.kind,
        ...(outcome.kind === 'welcome' && { user_id: outcome.login.userId }),
      })
      if (outcome.kind !== 'welcome') {
        return sendLoginPage({ ...exchange, choose: 'password', refusal: outcome })
      }
      return finishLogin(context, request, reply, { login: outcome.login, destination })
    },
  )
}

type Exchange = {
  context: Context
  web: Web
  providers: ProviderClients
  request: FastifyRequest
  reply: FastifyReply
  destination: Destination
}

/** The same for every address of a domain: the page does not reveal whether a user has it. */
async function sendByDomain(exchange: Exchange & { email: string }): Promise<FastifyReply> {
  const { context, email } = exchange
  const domain = foldCase(email.trim().split('@').at(-1) ?? '')
  const provider = await context.database.maybe(findProviderOfDomain, [domain])
  if (provider) return goToProvider({ ...exchange, provider, loginHint: email.trim() })
  const [choice] = await context.database.run(loginChoices, [])
  return sendLoginPage({
    ...exchange,
    choose: 'password',
    ...(choice?.passwords === false && { refusal: { kind: 'unknown-domain' } }),
  })
}

async function sendLoginPage(
  shown: Exchange & { choose?: Choice['choose']; email?: string; refusal?: LoginRefusal },
): Promise<FastifyReply> {
  const { context, web, request, reply, destination, refusal, choose } = shown
  const choices = await context.database.run(loginChoices, [])
  const buttons = choices.filter(({ by_domain: byDomain }) => !byDomain)
  const step = stepOf(choices, choose)
  const [only] = buttons
  if (only && step === 'none' && buttons.length === 1 && choose === undefined) {
    const provider = await context.database.maybe(findProvider, [only.id])
    if (provider) return goToProvider({ ...shown, provider, isOnlyWay: true })
  }
  const { authorization, texts } = openPageRequest(context, request)
  const authorizationRequest = authorization.kind === 'open' ? authorization.request : undefined
  const partner =
    authorizationRequest && (await context.database.maybe(findPartner, [authorizationRequest.clientId]))
  const csrf = web.csrfToken(reply)
  const body = (
    <LoginPage
      destination={destination}
      texts={texts}
      csrf={csrf}
      passkey={step !== 'none' && (await passkeyLogin({ context, csrf, destination, texts }))}
      step={step}
      providers={buttons}
      otherAccount={choose === 'account'}
      email={shown.email ?? authorizationRequest?.loginHint}
      partnerName={partner?.name}
      refusal={refusal}
      recoveryLink={recoveryLink(context, destination, texts)}
    />
  )
  // The forms lead to the providers, and Chromium checks redirects after a form.
  const formAction = [...new Set(choices.map(({ issuer }) => new URL(issuer).protocol))].join(' ')
  const status = refusal ? statusOf(reply, refusal) : 200
  return web.page({
    reply,
    texts,
    status,
    title: texts.login.heading,
    body,
    formAction,
    passkeys: step !== 'none',
  })
}

function stepOf(choices: { by_domain: boolean; passwords: boolean }[], choose: Choice['choose']): LoginStep {
  const passwords = choices[0]?.passwords ?? true
  const hasDomains = choices.some(({ by_domain: byDomain }) => byDomain)
  if (passwords && (choose === 'password' || !hasDomains)) return 'password'
  return hasDomains ? 'email' : 'none'
}

function statusOf(reply: FastifyReply, refusal: LoginRefusal): number {
  return refusal.kind === 'unknown-domain' ? 403 : refusalStatus(reply, refusal)
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

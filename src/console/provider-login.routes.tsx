import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import { originOf } from '../audit/origin.ts'
import { leaveFor } from '../authorize/provider-login.tsx'
import type { Context } from '../context.ts'
import { countFactorAttempt } from '../factors/attempts.sql.ts'
import { rawQuery } from '../http/parameters.ts'
import { providerAddresses } from '../idp/addresses.ts'
import { carriedBy, endFlow } from '../idp/browser-flow.ts'
import { providerFault } from '../idp/complete-login.ts'
import type { ProviderClients } from '../idp/provider-clients.ts'
import { findProvider } from '../idp/providers.sql.ts'
import { startLogin } from '../idp/start-login.ts'
import { forgiveLogin } from '../login/login.sql.ts'
import { operatorProviderRules } from '../operators/provider-login.sql.ts'
import { completeOperatorLogin, type OperatorProviderOutcome } from '../operators/provider-login.ts'
import { startOperatorSession } from '../operators/sessions.ts'
import { sourceOf } from '../process/source.ts'
import { hmac } from '../secrets/derived-keys.ts'
import Type, { type Static } from '../typebox.ts'
import { ReceivedText } from '../web/parts.tsx'
import type { ConsoleWeb } from './edge.ts'
import { toPage } from './login.routes.tsx'
import { nextPage } from './operator-page.ts'

const Params = Type.Object({ id: Type.String() })
const StartForm = Type.Object({ next: Type.Optional(Type.String({ maxLength: 2000 })) })
/** `openid-client` checks the other parameters. */
const Callback = Type.Object({ state: Type.Optional(Type.String()) })

type Exchange = {
  context: Context
  web: ConsoleWeb
  providers: ProviderClients
  request: FastifyRequest
  reply: FastifyReply
}

/** Operators log in through an identity provider that is flagged for them. */
export function providerLoginRoutes(
  app: FastifyInstance,
  context: Context,
  web: ConsoleWeb,
  providers: ProviderClients,
): void {
  app.post<{ Params: Static<typeof Params>; Body: Static<typeof StartForm> }>(
    '/login/idp/:id',
    { schema: { params: Params, body: StartForm }, preValidation: web.ownForm },
    (request, reply) =>
      goToOperatorProvider(
        { context, web, providers, request, reply },
        request.params.id,
        nextPage(request.body.next),
        {},
      ),
  )

  app.get<{ Params: Static<typeof Params>; Querystring: Static<typeof Callback> }>(
    '/login/idp/:id/callback',
    { schema: { params: Params, querystring: Callback } },
    (request, reply) =>
      receiveCallback(
        { context, web, providers, request, reply },
        request.params.id,
        request.query.state ?? '',
      ),
  )
}

/** Sends the browser to the provider. `again`: the operator must authenticate there, even with a session. */
export async function goToOperatorProvider(
  exchange: Exchange,
  id: string,
  next: string,
  { again = false, loginHint }: { again?: boolean; loginHint?: string },
): Promise<FastifyReply> {
  const { context, providers, request, reply } = exchange
  const provider = await context.database.maybe(findProvider, [id])
  const rules = await context.database.maybe(operatorProviderRules, [id])
  if (!provider || !rules) return notFound(reply)
  const wish = {
    prompts: again ? ['login' as const] : [],
    ...(again && { maxAge: 0 }),
    loginHint,
    uiLocales: 'en',
    acrValues: rules.operators_acr === null ? [] : [rules.operators_acr],
  }
  try {
    const address = await startLogin(
      context,
      providers,
      { request, reply },
      {
        provider,
        wish,
        requestId: undefined,
        carried: new URLSearchParams({ next }).toString(),
        kind: 'operator-login',
      },
    )
    if (!again) return toPage(reply, address)
    const { web } = exchange
    const heading = 'Confirm that it’s you'
    return leaveFor({ web, reply, texts: web.english, provider, address, heading })
  } catch (error) {
    const fault = providerFault(error)
    if (!fault) throw error
    return sendRefusal(exchange, provider.name, fault)
  }
}

async function receiveCallback(exchange: Exchange, id: string, state: string): Promise<FastifyReply> {
  const { context, providers, request, reply } = exchange
  const provider = await context.database.maybe(findProvider, [id])
  if (!provider) return notFound(reply)
  const next = nextPage(new URLSearchParams(carriedBy(state)).get('next') ?? undefined)
  const flow = endFlow(context, request, reply, { kind: 'operator-login', state })
  if (flow?.providerId !== id) {
    request.log.warn({ event: 'operator_provider_login', outcome: 'foreign_state', provider: id })
    return sendPage(exchange, 400, 'This sign-in was not started here', <p>{text.foreign}</p>)
  }
  const { operatorRedirectUri } = providerAddresses(context.config, id)
  const callback = new URL(`${operatorRedirectUri}?${rawQuery(request.url)}`)
  // A flow is not stored, so a browser that keeps its cookie can send it again. Each callback sends a request to the provider.
  const sourceKey = hmac(context.keys.current.throttle, 'operator provider source', sourceOf(request.ip))
  const { wait } = await context.database.one(countFactorAttempt, [sourceKey, null, false])
  if (wait !== null) {
    reply.header('retry-after', String(wait))
    return sendPage(exchange, 429, 'There were too many attempts', <p>{text.throttled}</p>)
  }
  const origin = originOf(request, 'console', { kind: 'provider', id })
  const outcome = await completeOperatorLogin(context, providers, origin, { provider, flow, state, callback })
  if (outcome.kind !== 'welcome') return sendRefusal(exchange, provider.name, outcome)
  request.log.info({ event: 'operator_provider_login', outcome: 'welcome', operator_id: outcome.login.id })
  await context.database.run(forgiveLogin, [sourceKey, null])
  const isOpen = await startOperatorSession(context, request, reply, outcome.login)
  return toPage(reply, isOpen ? next : '/admin/login')
}

const text = {
  foreign: 'The address belongs to a sign-in of another browser, or to one that has ended. Sign in again.',
  throttled: 'Try again in some minutes.',
  unavailable: 'It can’t be reached, or it reports an error. Try again in a moment.',
  misconfigured:
    'It and Latchkey are not set up for each other. Run latchkey idp test, which says what to do.',
  rejected: 'Its answer failed a check. Sign in again.',
  declined: 'It did not sign you in. Sign in again.',
  stale: 'It did not confirm that you have just signed in there. Sign in again.',
}

type Refusal = Exclude<OperatorProviderOutcome, { kind: 'welcome' }>

const accountTexts = {
  unmatched: 'No operator has this address. An owner adds one: latchkey operator create.',
  taken:
    'The operator with this address signs in with another account there. An owner can reset it: latchkey operator reset.',
  inactive: 'This operator is disabled. Ask an owner.',
  unverified: 'The provider has not confirmed the email address of this account.',
}

/** The provider could not be used, or logged someone in who may not use the console. */
function sendRefusal(exchange: Exchange, provider: string, refusal: Refusal): FastifyReply {
  const { kind } = refusal
  const reason = 'reason' in refusal ? refusal.reason : undefined
  exchange.request.log.warn({ event: 'operator_provider_login', outcome: kind, ...(reason && { reason }) })
  const heading = 'You are not signed in'
  if ('account' in refusal) {
    return sendPage(exchange, 403, heading, [
      <p key="who">
        <bdi>{provider}</bdi> signed you in as <ReceivedText>{refusal.account}</ReceivedText>.
      </p>,
      <p key="why">{accountTexts[refusal.kind]}</p>,
    ])
  }
  if (refusal.kind === 'too_weak') {
    return sendPage(exchange, 403, heading, [
      <p key="why">
        Operators need a stronger sign-in at <bdi>{provider}</bdi>: <code>{refusal.required}</code>. Use a
        second factor there.
      </p>,
    ])
  }
  const status = { unavailable: 503, misconfigured: 502, rejected: 400, declined: 403, stale: 403 }[
    refusal.kind
  ]
  return sendPage(
    exchange,
    status,
    heading,
    <p>
      Sign-in through <bdi>{provider}</bdi> failed. {text[refusal.kind]}
    </p>,
  )
}

function sendPage(
  { web, reply }: Exchange,
  status: number,
  heading: string,
  children: ComponentChildren,
): FastifyReply {
  const recoveryLink = { label: 'Sign in again', href: '/admin/login' }
  return web.errorPage({ reply, texts: web.english, status, heading, text: children, recoveryLink })
}

function notFound(reply: FastifyReply): FastifyReply {
  reply.callNotFound()
  return reply
}

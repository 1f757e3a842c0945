import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import { originOf } from '../audit/origin.ts'
import { leaveFor } from '../authorize/provider-login.tsx'
import type { Context } from '../context.ts'
import { countFactorAttempt } from '../factors/attempts.sql.ts'
import { rawQuery } from '../http/parameters.ts'
import { redirectUriOf } from '../idp/addresses.ts'
import { carriedBy, endFlow } from '../idp/browser-flow.ts'
import { providerFault } from '../idp/complete-login.ts'
import type { ProviderClients } from '../idp/provider-clients.ts'
import { findProvider } from '../idp/providers.sql.ts'
import { startLogin } from '../idp/start-login.ts'
import { forgiveLogin } from '../login/login.sql.ts'
import { sourceOf } from '../process/source.ts'
import { hmac } from '../secrets/derived-keys.ts'
import Type, { type Static } from '../typebox.ts'
import { ReceivedText } from '../web/parts.tsx'
import { viaOf } from './kind.ts'
import type { PeopleWeb } from './people-web.ts'
import { nextPage, toPage } from './person-page.ts'
import { providerStatements } from './provider-login.sql.ts'
import { completePersonLogin, type PersonProviderOutcome } from './provider-login.ts'
import { startSession } from './sessions.ts'

const Params = Type.Object({ id: Type.String() })
const StartForm = Type.Object({ next: Type.Optional(Type.String({ maxLength: 2000 })) })
/** `openid-client` checks the other parameters. */
const Callback = Type.Object({ state: Type.Optional(Type.String()) })

type Exchange = {
  context: Context
  web: PeopleWeb
  providers: ProviderClients
  request: FastifyRequest
  reply: FastifyReply
}

/** Operators and developers log in through an identity provider that is flagged for them. */
export function providerLoginRoutes(
  app: FastifyInstance,
  context: Context,
  web: PeopleWeb,
  providers: ProviderClients,
): void {
  app.post<{ Params: Static<typeof Params>; Body: Static<typeof StartForm> }>(
    '/login/idp/:id',
    { schema: { params: Params, body: StartForm }, preValidation: web.ownForm },
    (request, reply) =>
      goToPersonProvider(
        { context, web, providers, request, reply },
        request.params.id,
        nextPage(web, request.body.next),
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

/** Sends the browser to the provider. `again`: the person must authenticate there, even with a session. */
export async function goToPersonProvider(
  exchange: Exchange,
  id: string,
  next: string,
  { again = false, loginHint }: { again?: boolean; loginHint?: string },
): Promise<FastifyReply> {
  const { context, web, providers, request, reply } = exchange
  const provider = await context.database.maybe(findProvider, [id])
  const rules = await context.database.maybe(providerStatements[web.kind].rules, [id])
  if (!provider || !rules) return notFound(reply)
  const wish = {
    prompts: again ? ['login' as const] : [],
    ...(again && { maxAge: 0 }),
    loginHint,
    uiLocales: 'en',
    acrValues: rules.acr === null ? [] : [rules.acr],
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
        kind: `${web.kind}-login`,
      },
    )
    if (!again) return toPage(reply, address)
    const heading = 'Confirm that it’s you'
    return leaveFor({ web, reply, texts: web.english, provider, address, heading })
  } catch (error) {
    const fault = providerFault(error)
    if (!fault) throw error
    return sendRefusal(exchange, provider.name, fault)
  }
}

async function receiveCallback(exchange: Exchange, id: string, state: string): Promise<FastifyReply> {
  const { context, web, providers, request, reply } = exchange
  const provider = await context.database.maybe(findProvider, [id])
  if (!provider) return notFound(reply)
  const { kind } = web
  const next = nextPage(web, new URLSearchParams(carriedBy(state)).get('next') ?? undefined)
  const flow = endFlow(context, request, reply, { kind: `${kind}-login`, state })
  if (flow?.providerId !== id) {
    request.log.warn({ event: `${kind}_provider_login`, outcome: 'foreign_state', provider: id })
    return sendPage(exchange, 400, 'This sign-in was not started here', <p>{text.foreign}</p>)
  }
  const redirectUri = redirectUriOf(context.config, id, `${kind}-login`)
  const callback = new URL(`${redirectUri}?${rawQuery(request.url)}`)
  // A flow is not stored, so a browser that keeps its cookie can send it again. Each callback sends a request to the provider.
  const sourceKey = hmac(context.keys.current.throttle, `${kind} provider source`, sourceOf(request.ip))
  const { wait } = await context.database.one(countFactorAttempt, [sourceKey, null, false])
  if (wait !== null) {
    reply.header('retry-after', String(wait))
    return sendPage(exchange, 429, 'There were too many attempts', <p>{text.throttled}</p>)
  }
  const origin = originOf(request, viaOf[kind], { kind: 'provider', id })
  const outcome = await completePersonLogin(context, providers, kind, origin, {
    ...{ provider, flow, state, callback },
  })
  if (outcome.kind !== 'welcome') return sendRefusal(exchange, provider.name, outcome)
  request.log.info({ event: `${kind}_provider_login`, outcome: 'welcome', [`${kind}_id`]: outcome.login.id })
  await context.database.run(forgiveLogin, [sourceKey, null])
  const isOpen = await startSession(context, kind, { request, reply }, outcome.login)
  return toPage(reply, isOpen ? next : `${web.home}/login`)
}

const text = {
  foreign: 'The address belongs to a sign-in of another browser, or to one that has ended. Sign in again.',
  throttled: 'Try again in some minutes.',
  unavailable: 'It can’t be reached, or it reports an error. Try again in a moment.',
  rejected: 'Its answer failed a check. Sign in again.',
  declined: 'It did not sign you in. Sign in again.',
  stale: 'It did not confirm that you have just signed in there. Sign in again.',
}

type Refusal = Exclude<PersonProviderOutcome, { kind: 'welcome' }>

/** The provider could not be used, or logged someone in who has no account here. */
function sendRefusal(exchange: Exchange, provider: string, refusal: Refusal): FastifyReply {
  const { kind } = refusal
  const { words } = exchange.web
  const reason = 'reason' in refusal ? refusal.reason : undefined
  exchange.request.log.warn({
    event: `${exchange.web.kind}_provider_login`,
    outcome: kind,
    ...(reason && { reason }),
  })
  const heading = 'You are not signed in'
  if ('account' in refusal) {
    return sendPage(exchange, 403, heading, [
      <p key="who">
        <bdi>{provider}</bdi> signed you in as <ReceivedText>{refusal.account}</ReceivedText>.
      </p>,
      <p key="why">{words.accounts[refusal.kind]}</p>,
    ])
  }
  if (refusal.kind === 'too_weak') {
    return sendPage(exchange, 403, heading, [
      <p key="why">
        {words.tooWeak} <bdi>{provider}</bdi>: <code>{refusal.required}</code>. Use a second factor there.
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
      Sign-in through <bdi>{provider}</bdi> failed.{' '}
      {refusal.kind === 'misconfigured' ? words.misconfigured : text[refusal.kind]}
    </p>,
  )
}

function sendPage(
  { web, reply }: Exchange,
  status: number,
  heading: string,
  children: ComponentChildren,
): FastifyReply {
  const recoveryLink = { label: 'Sign in again', href: `${web.home}/login` }
  return web.errorPage({ reply, texts: web.english, status, heading, text: children, recoveryLink })
}

function notFound(reply: FastifyReply): FastifyReply {
  reply.callNotFound()
  return reply
}

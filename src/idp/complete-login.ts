import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  ClientError,
  type Configuration,
  fetchUserInfo,
  type IDToken,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { federatedAcr } from '../acr.ts'
import type { Origin } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import type { Login } from '../login/login.ts'
import { sealStored, UnreadableSecret } from '../secrets/stored-secret.ts'
import Type, { Compile } from '../typebox.ts'
import { UnusableAnswer } from './bounded-fetch.ts'
import type { LoginFlow } from './browser-flow.ts'
import { findUser, type UserOutcome } from './find-user.ts'
import { IssuerChanged, type ProviderClients, ProviderUnavailable, reasonOf } from './provider-clients.ts'
import type { Provider } from './providers.sql.ts'

export type ProviderFault =
  /** The provider cannot be reached, hangs, or reports an error. Another attempt may work. */
  | { kind: 'unavailable'; reason: string }
  /** The provider and Latchkey are not set up for each other. The operator must act. */
  | { kind: 'misconfigured'; reason: string }
  /** The provider's answer failed a check. It may be forged. */
  | { kind: 'rejected'; reason: string }

/** The provider has not logged anyone in. */
export type Unanswered =
  /** The provider reports an error instead of a login: an error code of OAuth or OpenID Connect. */
  | { kind: 'declined'; error: string }
  /** The user had to authenticate again, and the provider does not confirm it. */
  | { kind: 'stale' }
  | ProviderFault

export type ProviderOutcome =
  | { kind: 'welcome'; login: Login; isNew: boolean }
  | Exclude<UserOutcome, { kind: 'found' }>
  | Unanswered

type Callback = {
  provider: Provider
  flow: LoginFlow
  state: string
  /** The address that the browser was sent to. */
  callback: URL
}

/**
 * Exchanges the code of a callback and finds the user.
 * @param input `sourceKey` is that of `admitCallback`
 * @throws {DatabaseUnavailable}
 */
export function completeLogin(
  context: Context,
  origin: Origin,
  providers: ProviderClients,
  input: Callback & { sourceKey: Buffer },
): Promise<ProviderOutcome> {
  const { provider, sourceKey, flow } = input
  return withAnswer(context, providers, input, async ({ claims, userinfo, details, idToken }) => {
    const found = await findUser(context.database, origin, { provider, sourceKey, idToken: claims }, userinfo)
    if (found.kind !== 'found') return found
    const { userId, email, loginVersion, isNew } = found
    const { acr, amr, authTime, sid } = details
    const requestId = flow.requestId ?? null
    const kept = keptIdToken(context, idToken)
    const login = { id: provider.id, sub: claims.sub, sid, authTime, requestId, idToken: kept }
    return { kind: 'welcome', login: { userId, email, loginVersion, acr, amr, provider: login }, isNew }
  })
}

/** What a provider has answered. */
export type ProviderAnswer = {
  claims: IDToken
  /** Reads the claims of the userinfo endpoint. */
  userinfo(): Promise<Record<string, unknown>>
  details: ReturnType<typeof loginDetails>
  idToken: string | undefined
}

/**
 * Exchanges the code of a callback and continues with the answer. `openid-client` checks the answer: state, `iss` (RFC 9207),
 * PKCE, signature, issuer, audience, nonce, times.
 */
export async function withAnswer<Outcome>(
  context: Context,
  providers: ProviderClients,
  { provider, flow, state, callback }: Callback,
  proceed: (answer: ProviderAnswer) => Promise<Outcome>,
): Promise<Outcome | Unanswered> {
  try {
    return await providers.use(provider, async (client) => {
      const waited = Math.ceil((context.now().getTime() - flow.startedAt) / 1000)
      const answer = await authorizationCodeGrant(client, callback, {
        expectedState: state,
        expectedNonce: flow.nonce,
        pkceCodeVerifier: flow.codeVerifier,
        // The user may have spent minutes at the provider since.
        ...(flow.maxAge !== undefined && { maxAge: flow.maxAge + waited }),
      })
      const claims = answer.claims()
      if (!claims) return { kind: 'rejected', reason: 'the provider sent no id_token' }
      const userinfo = () => readUserinfo(client, answer.access_token, claims.sub)
      const details = loginDetails(claims, context.now())
      return proceed({ claims, userinfo, details, idToken: answer.id_token })
    })
  } catch (error) {
    return outcomeOf(error, flow)
  }
}

const text = (maxLength: number) => Compile(Type.String({ minLength: 1, maxLength }))
const acrText = text(500)
const sidText = text(500)
const amrList = Compile(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 20 }))

/** What the provider says about the authentication. Values of another type, or longer than any honest one, do not count. */
function loginDetails({ acr, amr, auth_time: authTime, sid }: IDToken, now: Date) {
  return {
    acr: acrText.Check(acr) ? acr : federatedAcr,
    amr: amrList.Check(amr) ? amr : [],
    // A provider whose clock is ahead must not make a login count for later requests.
    authTime: typeof authTime === 'number' && authTime >= 0 ? Math.min(authTime * 1000, now.getTime()) : null,
    sid: sidText.Check(sid) ? sid : null,
  }
}

/** Characters. The logout sends the id_token in an address. */
const maxIdToken = 6000

function keptIdToken({ keys }: Context, idToken: string | undefined): string | null {
  return idToken === undefined || idToken.length > maxIdToken ? null : sealStored(keys, idToken)
}

/** The claims of the userinfo endpoint. None if the provider has no such endpoint. */
async function readUserinfo(
  client: Configuration,
  accessToken: string,
  sub: string,
): Promise<Record<string, unknown>> {
  if (client.serverMetadata().userinfo_endpoint === undefined) return {}
  return fetchUserInfo(client, accessToken, sub)
}

function outcomeOf(error: unknown, flow: LoginFlow): Unanswered {
  if (error instanceof AuthorizationResponseError)
    return { kind: 'declined', error: error.error.slice(0, 100) }
  if (flow.maxAge !== undefined && isAboutAuthTime(error)) return { kind: 'stale' }
  const fault = providerFault(error)
  if (fault) return fault
  throw error
}

/** The authentication is too old, or the provider does not say when it was. */
function isAboutAuthTime(error: unknown): boolean {
  return error instanceof ClientError && /End-User authentication|"auth_time"/.test(reasonOf(error))
}

/** What an error says about the provider. Undefined: it is not about the provider. */
export function providerFault(error: unknown): ProviderFault | undefined {
  const reason = reasonOf(error)
  if (error instanceof ProviderUnavailable || error instanceof UnusableAnswer) {
    return { kind: 'unavailable', reason }
  }
  if (error instanceof IssuerChanged || error instanceof UnreadableSecret)
    return { kind: 'misconfigured', reason }
  if (error instanceof ResponseBodyError) return tokenFault(error)
  if (error instanceof WWWAuthenticateChallengeError) {
    return { kind: 'misconfigured', reason: `the provider refuses the client with status ${error.status}` }
  }
  if (error instanceof ClientError) return clientFault(error, reason)
  // What `fetch` throws if there is no connection.
  if (error instanceof TypeError && error.message === 'fetch failed') return { kind: 'unavailable', reason }
  return undefined
}

/** An error of the token endpoint (RFC 6749 section 5.2). */
function tokenFault({
  error,
  status,
  error_description: description = '',
}: ResponseBodyError): ProviderFault {
  const reason = `the token endpoint answered ${status} ${error}: ${description}`
  if (status >= 500 || error === 'temporarily_unavailable') return { kind: 'unavailable', reason }
  return { kind: error === 'invalid_grant' ? 'rejected' : 'misconfigured', reason }
}

function clientFault({ code, cause }: ClientError, reason: string): ProviderFault {
  if (code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT') return { kind: 'unavailable', reason }
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' && cause instanceof Response) {
    const answered = `${reason}: status ${cause.status}`
    return {
      kind: cause.status >= 500 || cause.status === 429 ? 'unavailable' : 'misconfigured',
      reason: answered,
    }
  }
  return { kind: 'rejected', reason }
}

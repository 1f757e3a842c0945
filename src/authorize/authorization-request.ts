import type { Environment } from '../config.ts'
import { type OAuthDetail, type OAuthReason, oauthReason } from '../errors/catalogue.ts'
import { type Parameters, printableName } from '../http/parameters.ts'
import { foreignEnvironment } from '../partners/client-id.ts'
import type { Partner } from '../partners/partners.sql.ts'
import { onlyDifference, type RedirectUriDifference } from '../partners/redirect-uri.ts'
import type { IdTokenHint } from '../tokens/id-token.ts'
import Type, { type Static } from '../typebox.ts'

/** An authorization request that passed every check. The browser carries it, sealed, until the user has decided. */
export const AuthorizationRequest = Type.Object({
  id: Type.String(),
  /** Milliseconds since the epoch. */
  issuedAt: Type.Number(),
  clientId: Type.String(),
  redirectUri: Type.String(),
  state: Type.Optional(Type.String()),
  nonce: Type.Optional(Type.String()),
  codeChallenge: Type.Optional(Type.String()),
  prompt: Type.Array(Type.String()),
  /** Seconds. */
  maxAge: Type.Optional(Type.Integer()),
  /** From the `id_token_hint`: only this user may answer the request. */
  subject: Type.Optional(Type.String()),
  loginHint: Type.Optional(Type.String()),
  uiLocales: Type.Optional(Type.String()),
  /** `acr_values`, in order of preference. */
  acrValues: Type.Optional(Type.Array(Type.String())),
  /** The user was asked for a stronger factor because of `acr_values`. They are voluntary, so that is enough. */
  stepUpOffered: Type.Optional(Type.Boolean()),
})
export type AuthorizationRequest = Static<typeof AuthorizationRequest>

/**
 * The `prompt` values that change the flow. `select_account` matters only at an identity provider, and `consent` changes
 * nothing: the connect page always asks for consent and lets the user switch accounts. Unknown values are ignored, because
 * later specifications may define them (OpenID Connect Core section 3.1.2.1).
 */
const effectivePrompts = ['none', 'login', 'select_account']

/** Where the response may be sent. The redirect URI is always one that is registered for the client. */
export type ReturnAddress = { redirectUri: string; state?: string }

export type Identified =
  | { kind: 'identified'; partner: Partner; redirectUri: string }
  /** `clientId` is that of a registered partner. */
  | { kind: 'refused'; reason: UntrustedRequestReason; clientId?: string }

/** Why the server must not redirect the browser to the redirect URI of the request. */
export type UntrustedRequestReason =
  | { kind: 'repeated' | 'missing'; parameter: 'client_id' | 'redirect_uri' }
  | { kind: 'foreign-environment'; theirs: Environment; ours: Environment }
  | { kind: 'unknown-client' | 'suspended' }
  | { kind: 'unregistered-redirect-uri'; received: string; difference: RedirectUriDifference | undefined }

export type Checked =
  | { kind: 'accepted'; request: AuthorizationRequest }
  | { kind: 'refused'; to: ReturnAddress; fault: AuthorizationFault }

/**
 * Finds the partner that sent the request, and checks the redirect URI. An error is shown to the user and never
 * redirected, because the redirect URI is not trusted yet (RFC 6749 section 4.1.2.1).
 */
export async function identify(
  { values, repeated }: Parameters,
  ours: Environment,
  findPartner: (clientId: string) => Promise<Partner | undefined>,
): Promise<Identified> {
  const refused = (reason: UntrustedRequestReason, partner?: Partner): Identified => ({
    kind: 'refused',
    reason,
    ...(partner && { clientId: partner.client_id }),
  })
  const { client_id: clientId, redirect_uri: redirectUri } = values
  for (const parameter of ['client_id', 'redirect_uri'] as const) {
    if (repeated.includes(parameter)) return refused({ kind: 'repeated', parameter })
    if (!values[parameter]) return refused({ kind: 'missing', parameter })
  }
  const theirs = foreignEnvironment(clientId ?? '', ours)
  if (theirs) return refused({ kind: 'foreign-environment', theirs, ours })
  const partner = await findPartner(clientId ?? '')
  if (!partner) return refused({ kind: 'unknown-client' })
  if (partner.status !== 'active') return refused({ kind: 'suspended' }, partner)
  if (!redirectUri || !partner.redirect_uris.includes(redirectUri)) {
    const received = redirectUri ?? ''
    const difference = onlyDifference(received, partner.redirect_uris)
    return refused({ kind: 'unregistered-redirect-uri', received, difference }, partner)
  }
  return { kind: 'identified', partner, redirectUri }
}

/**
 * Checks the rest of the request. The first error is sent to the partner.
 * @throws {DatabaseUnavailable} if the signing keys for the hint cannot be read
 */
export async function check(
  { values, repeated }: Parameters,
  method: 'GET' | 'POST',
  { partner, redirectUri }: { partner: Partner; redirectUri: string },
  fresh: { id: string; now: Date },
  readHint: (idToken: string) => Promise<IdTokenHint>,
): Promise<Checked> {
  const given = (name: string) => values[name] || undefined // RFC 6749 section 3.1: empty means omitted
  const state = repeated.includes('state') ? undefined : given('state')
  const to: ReturnAddress = { redirectUri, ...(state && { state }) }
  const fault = firstFault(values, repeated, method, partner)
  if (fault) return { kind: 'refused', to, fault }
  const idTokenHint = given('id_token_hint')
  const hint = idTokenHint && (await readHint(idTokenHint))
  if (hint && (hint.kind === 'invalid' || hint.clientId !== partner.client_id)) {
    return { kind: 'refused', to, fault: authorizationFault('id_token_hint') }
  }
  const nonce = given('nonce')
  const codeChallenge = given('code_challenge')
  const maxAge = given('max_age')
  const loginHint = given('login_hint')?.slice(0, 320)
  const uiLocales = given('ui_locales')?.slice(0, 100)
  const acrValues = words(values.acr_values?.slice(0, 500))
  return {
    kind: 'accepted',
    request: {
      id: fresh.id,
      issuedAt: fresh.now.getTime(),
      clientId: partner.client_id,
      redirectUri,
      prompt: effectivePrompts.filter((known) => words(values.prompt).includes(known)),
      ...(state && { state }),
      ...(nonce && { nonce }),
      ...(codeChallenge && { codeChallenge }),
      ...(maxAge && { maxAge: Number(maxAge) }),
      ...(hint && { subject: hint.subject }),
      ...(loginHint && { loginHint }),
      ...(uiLocales && { uiLocales }),
      ...(acrValues.length > 0 && { acrValues }),
    },
  }
}

/** What the partner gets instead of a code. The reason is for the log. */
export type AuthorizationFault = ReturnType<typeof oauthReason> & { reason: OAuthReason }

export function authorizationFault<R extends OAuthReason>(
  reason: R,
  ...detail: OAuthDetail<R>
): AuthorizationFault {
  return { reason, ...oauthReason(reason, ...detail) }
}

function firstFault(
  values: Record<string, string>,
  repeated: string[],
  method: 'GET' | 'POST',
  partner: Partner,
): AuthorizationFault | undefined {
  const [duplicate] = repeated
  if (duplicate !== undefined) return authorizationFault('repeated_parameter', printableName(duplicate))
  if (isStateTooLong(values.state)) return authorizationFault('state_too_long')
  return (
    responseFault(values, method) ??
    requestObjectFault(values) ??
    scopeFault(values) ??
    pkceFault(values, partner) ??
    openidFault(values)
  )
}

function responseFault(
  { response_type: type, response_mode: mode }: Record<string, string>,
  method: 'GET' | 'POST',
): AuthorizationFault | undefined {
  // The contract defines the POST, without response_type. The standard defines the GET, which requires it.
  if (!type && method === 'GET') return authorizationFault('no_response_type')
  if (type && type !== 'code') return authorizationFault('response_type')
  return mode && mode !== 'query' ? authorizationFault('response_mode') : undefined
}

/** OpenID Connect Core section 6. Each parameter has its own error code. The server never fetches a `request_uri`. */
function requestObjectFault(values: Record<string, string>): AuthorizationFault | undefined {
  const name = (['request', 'request_uri', 'registration'] as const).find((known) => values[known])
  return name && authorizationFault(name)
}

function scopeFault({ scope }: Record<string, string>): AuthorizationFault | undefined {
  if (words(scope).includes('openid')) return undefined
  return authorizationFault(scope ? 'scope_without_openid' : 'no_scope')
}

/** RFC 7636. The method `plain` is refused, because it sends the verifier itself through the browser. */
function pkceFault(
  { code_challenge: challenge, code_challenge_method: method }: Record<string, string>,
  partner: Partner,
): AuthorizationFault | undefined {
  if (!challenge && method) return authorizationFault('challenge_missing')
  if (!challenge) return partner.require_pkce ? authorizationFault('pkce_required') : undefined
  if (method !== 'S256') return authorizationFault('challenge_method')
  return /^[A-Za-z0-9_-]{43}$/.test(challenge) ? undefined : authorizationFault('challenge_malformed')
}

function openidFault(values: Record<string, string>): AuthorizationFault | undefined {
  const prompt = words(values.prompt)
  if (prompt.includes('none') && prompt.length > 1) return authorizationFault('prompt_none_combined')
  if (values.max_age && !/^\d{1,15}$/.test(values.max_age)) return authorizationFault('max_age')
  return sealedBytes(values.nonce) > 512 ? authorizationFault('nonce_too_long') : undefined
}

/** Of an authorization or logout request. */
export function isStateTooLong(state: string | undefined): boolean {
  return sealedBytes(state) > 4096
}

/**
 * The bytes that a value takes in the sealed request, which is part of an address. There the value is JSON, in which a
 * control character takes six bytes.
 */
function sealedBytes(text = ''): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2
}

function words(text: string | undefined): string[] {
  return (text ?? '').split(' ').filter((word) => word !== '')
}

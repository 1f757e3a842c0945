import { createHash, randomBytes } from 'node:crypto'
import { LatchkeyError } from './errors.ts'
import { type CallOptions, errorOf, type HttpResponse, isObject, readJson, send } from './http.ts'
import type { Tokens } from './store.ts'

export type PartnerOptions = {
  /** The address of the authorization server, as the operator names it. */
  authUrl: string | URL
  /** The address of the API, as the operator names it. */
  baseUrl: string | URL
  clientId: string
  clientSecret: string
  /** Where users return to. Exactly as it was registered. */
  redirectUri: string
  /** Used instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch
}

/** A URL, the path and query of a request, or any request object with them in `url`. */
export type CallbackRequest = string | URL | { readonly url?: string | undefined }

/** `path` relative to the base address, whether or not that ends with a slash. */
export function addressOf(baseUrl: string | URL, path: string): URL {
  return new URL(path, String(baseUrl).replace(/\/*$/, '/'))
}

/** What begins an attempt to connect: where the browser goes, with PKCE (RFC 7636), and what must be there when it returns. */
export type ConnectAttempt = {
  url: URL
  /**
   * Binds the attempt to the browser. Keep it where only that browser leads to it: in its session, or in an HttpOnly cookie.
   * Use it once. It consists of letters, digits and `-_.`.
   */
  attempt: string
}

export function startAttempt(options: PartnerOptions): ConnectAttempt {
  const [state, codeVerifier] = [randomText(), randomText()]
  const url = addressOf(options.authUrl, 'api/oauth2/authorize')
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: options.clientId,
    redirect_uri: options.redirectUri,
    scope: 'openid',
    state,
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString()
  return { url, attempt: `${state}.${codeVerifier}` }
}

const randomText = () => randomBytes(32).toString('base64url')

/**
 * The code with which the user came back. `state` is compared first: without it, an attacker could send the browser of
 * another user a link with the attacker's code (login CSRF), or end that user's attempt.
 * @throws {LatchkeyError}
 */
export function readCallback(
  request: CallbackRequest,
  attempt: string | undefined,
  { authUrl }: PartnerOptions,
): { code: string; codeVerifier: string } {
  const address = typeof request === 'string' || request instanceof URL ? request : request.url
  const query = new URLSearchParams(/\?([^#]*)/.exec(String(address))?.[1])
  const read = (name: string) => {
    const values = query.getAll(name)
    if (values.length > 1) throw new LatchkeyError('invalid_callback', `The callback has ${name} twice.`)
    return values[0]
  }
  const [state, codeVerifier] = attempt?.split('.') ?? []
  if (!state || !codeVerifier || read('state') !== state) {
    throw new LatchkeyError(
      'state_mismatch',
      'This attempt to connect was not started in this browser, or a newer attempt replaced it.',
    )
  }
  // RFC 9207: the response comes from this server and not from another one at which the partner is also registered.
  const issuer = String(authUrl).replace(/\/*$/, '')
  if (read('iss') !== issuer) {
    throw new LatchkeyError('issuer_mismatch', `The callback is not from ${issuer}: iss is ${read('iss')}.`)
  }
  const error = read('error')
  if (error !== undefined) {
    throw new LatchkeyError(error, read('error_description') ?? 'The server sent no description.', {
      docs: read('error_uri'),
    })
  }
  const code = read('code')
  if (!code) throw new LatchkeyError('invalid_callback', 'The callback has neither a code nor an error.')
  return { code, codeVerifier }
}

/** Not repeated if the answer is lost: a code that is presented twice ends the connection. */
export function exchangeCode(
  options: PartnerOptions,
  { code, codeVerifier }: { code: string; codeVerifier: string },
): Promise<Tokens> {
  const parameters = {
    grant_type: 'authorization_code',
    code,
    code_verifier: codeVerifier,
    redirect_uri: options.redirectUri,
  }
  return requestTokens(options, parameters, false)
}

/** Repeated if the answer is lost: the server answers with the same refresh token. */
export function refreshTokens(options: PartnerOptions, refreshToken: string): Promise<Tokens> {
  return requestTokens(options, { grant_type: 'refresh_token', refresh_token: refreshToken }, true)
}

/** RFC 7009. Ends the connection. */
export async function revokeToken(options: PartnerOptions, token: string, call: CallOptions): Promise<void> {
  const response = await post(options, 'oauth2/revoke', { token }, { ...call, idempotent: true })
  if (response.status !== 200) throw errorOf(response)
}

async function requestTokens(
  options: PartnerOptions,
  parameters: Record<string, string>,
  idempotent: boolean,
): Promise<Tokens> {
  // Before the request, so that the token is never used after its end.
  const requestedAt = Date.now()
  const response = await post(options, 'oauth2/token', parameters, { idempotent })
  const { access_token, refresh_token, expires_in } = readJson(response, isTokenResponse)
  return {
    accessToken: access_token,
    refreshToken: refresh_token,
    expiresAt: requestedAt + expires_in * 1000,
  }
}

function post(
  { baseUrl, clientId, clientSecret, fetch = globalThis.fetch }: PartnerOptions,
  path: string,
  parameters: Record<string, string>,
  call: CallOptions & { idempotent: boolean },
): Promise<HttpResponse> {
  const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...parameters })
  return send(fetch, { ...call, method: 'POST', url: addressOf(baseUrl, path), body })
}

type TokenResponse = { access_token: string; refresh_token: string; expires_in: number }

function isTokenResponse(value: unknown): value is TokenResponse {
  return (
    isObject(value) &&
    typeof value.access_token === 'string' &&
    typeof value.refresh_token === 'string' &&
    typeof value.expires_in === 'number'
  )
}

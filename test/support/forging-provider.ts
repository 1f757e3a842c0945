import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { afterAll } from 'vitest'
import { onFreePort } from './ports.ts'
import type { TestServer } from './server.ts'
import { redirectOf, type Visitor } from './visitor.ts'

/**
 * A provider under the control of a test: it answers every code with the id_token of the test. It sends the browser back
 * without a page. Everything may be forged.
 */
export type ForgingProvider = {
  issuer: string
  /** Replaces values of the metadata. */
  metadata: Record<string, unknown>
  /** The keys that it publishes. */
  keys: JWK[]
  /** Answers requests to this path before the provider does. */
  override: Map<string, (response: ServerResponse) => void>
  /** How often each path was requested. */
  requested: Map<string, number>
  /** The claims of the next id_tokens, beside iss, aud, exp, iat and the nonce of the request. */
  claims: JWTPayload
  /** Makes the next id_tokens; the default signs with the published key. */
  issue: (claims: JWTPayload) => Promise<string>
  /** Signs with the published key. */
  sign(
    claims: JWTPayload,
    header?: { typ?: string; kid?: string; alg?: string },
    key?: CryptoKey,
  ): Promise<string>
  close(): Promise<void>
}

export async function forgingProvider(): Promise<ForgingProvider> {
  const pair = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
  const provider = await onFreePort(async (port) => {
    const issuer = `http://127.0.0.1:${port}`
    const nonces = new Map<string, string>()
    const server = createServer((request, response) => void answer(forging, nonces, request, response))
    const forging: ForgingProvider = {
      issuer,
      metadata: {},
      keys: [jwk],
      override: new Map(),
      requested: new Map(),
      claims: {},
      issue: (claims) => forging.sign(claims),
      sign: (claims, header = {}, key = pair.privateKey) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1', ...header }).sign(key),
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve())
          server.closeAllConnections()
        }),
    }
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve)
    })
    return forging
  })
  afterAll(() => provider.close())
  return provider
}

/** Answers as the provider. @param nonces those of the authorization requests, by the code that each got */
async function answer(
  forging: ForgingProvider,
  nonces: Map<string, string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { issuer } = forging
  const { pathname, searchParams } = new URL(request.url ?? '', issuer)
  forging.requested.set(pathname, (forging.requested.get(pathname) ?? 0) + 1)
  const override = forging.override.get(pathname)
  if (override) return override(response)
  switch (pathname) {
    case '/.well-known/openid-configuration':
      return json(response, { ...usualMetadata(issuer), ...forging.metadata })
    case '/jwks':
      return json(response, { keys: forging.keys })
    case '/auth': {
      const code = `code-${nonces.size}`
      nonces.set(code, searchParams.get('nonce') ?? '')
      const state = searchParams.get('state') ?? ''
      const query = new URLSearchParams({ code, state, iss: issuer })
      response.writeHead(302, { location: `${searchParams.get('redirect_uri')}?${query}` }).end()
      return
    }
    case '/token': {
      let body = ''
      for await (const piece of request) body += piece
      const nonce = nonces.get(new URLSearchParams(body).get('code') ?? '')
      const idToken = await forging.issue({ ...usualClaims(issuer), nonce, ...forging.claims })
      return json(response, {
        access_token: 'a',
        token_type: 'Bearer',
        expires_in: 60,
        id_token: idToken,
      })
    }
    default:
      response.writeHead(404).end()
  }
}

export function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function usualMetadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    id_token_signing_alg_values_supported: ['ES256'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
}

export function usualClaims(issuer: string): JWTPayload {
  const now = Math.floor(Date.now() / 1000)
  return {
    iss: issuer,
    aud: 'latchkey',
    sub: 'sub-ada',
    iat: now,
    exp: now + 300,
    email: 'ada@example.com',
    email_verified: true,
  }
}

/** Starts a login through this provider and stops at the callback. @returns the address of the callback */
export async function callbackOf(server: TestServer, provider: string, visitor: Visitor): Promise<URL> {
  const login = await visitor.get(`${server.authUrl}/login?choose=account`)
  const start = redirectOf(await visitor.submit(login, `/login/idp/${provider}`, {}))
  const callback = redirectOf(await visitor.get(start?.href ?? ''))
  if (!callback) throw new Error('the provider did not redirect')
  return callback
}

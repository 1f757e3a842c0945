import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import type { AuthMethod } from '../../src/partners/partners.sql.ts'
import type { Addresses, Endpoint, TokenAnswer } from './journey.ts'
import type { TestPartner, TestServer } from './server.ts'
import { basic, credentials, postForm } from './token-endpoint.ts'

export type SigningPair = { alg: string; kid: string; privateKey: CryptoKey; jwk: JWK }

/** A key pair of a partner. `jwk` is the public half as the partner registers it. */
export async function newSigningPair(alg = 'ES256', kid: string = randomUUID()): Promise<SigningPair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid } }
}

export type AssertionChanges = { claims?: Record<string, unknown>; withoutKid?: boolean }

/** A valid assertion (RFC 7523) with these changes. A claim that is undefined is left out. */
export function assertionOf(
  server: Addresses | TestServer,
  clientId: string,
  { alg, kid, privateKey }: SigningPair,
  { claims, withoutKid }: AssertionChanges = {},
): Promise<string> {
  const now = Math.floor(('context' in server ? server.context.now() : new Date()).getTime() / 1000)
  const about = {
    iss: clientId,
    sub: clientId,
    aud: server.authUrl,
    iat: now,
    exp: now + 60,
    jti: randomUUID(),
  }
  return new SignJWT({ ...about, ...claims })
    .setProtectedHeader(withoutKid ? { alg } : { alg, kid })
    .sign(privateKey)
}

export function assertionParameters(assertion: string): Record<string, string> {
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  }
}

export type Client = {
  partner: TestPartner
  /** Sends a request of this partner. Each request is authenticated separately. */
  ask(parameters: Record<string, string>, endpoint?: Endpoint): Promise<TokenAnswer>
}

/** A new partner that authenticates only with this method. */
export async function clientBy(method: AuthMethod, server: TestServer, pair?: SigningPair): Promise<Client> {
  if (method === 'private_key_jwt') {
    const key = pair ?? (await newSigningPair())
    const partner = await server.partner({ authMethods: [method], jwks: key.jwk })
    const ask: Client['ask'] = async (parameters, endpoint) => {
      const assertion = await assertionOf(server, partner.clientId, key)
      return postForm(server, { ...parameters, ...assertionParameters(assertion) }, {}, endpoint)
    }
    return { partner, ask }
  }
  const partner = await server.partner({ authMethods: [method] })
  const { clientId, clientSecret } = partner
  return {
    partner,
    ask: (parameters, endpoint) =>
      method === 'client_secret_basic'
        ? postForm(server, parameters, basic(clientId, clientSecret), endpoint)
        : postForm(server, { ...parameters, ...credentials(partner) }, {}, endpoint),
  }
}

import { decodeJwt, type JWTPayload, SignJWT } from 'jose'
import type { TestPartner, TestServer } from './server.ts'

/** The claims, without verification. */
export function claimsOf(idToken: string): JWTPayload & { sub: string } {
  const { sub, ...claims } = decodeJwt(idToken)
  if (sub === undefined) throw new Error('no subject')
  return { ...claims, sub }
}

/** An id_token signed with the server's own key, with claims that the server would not issue. */
export async function signedHint(
  server: TestServer,
  partner: TestPartner,
  claims: JWTPayload,
): Promise<string> {
  const { kid, algorithm, privateKey } = await server.context.keyring.signer('RS256')
  const now = Math.floor(Date.now() / 1000)
  const usual = { iss: server.authUrl, aud: partner.clientId, iat: now, exp: now + 3600 }
  return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg: algorithm, kid }).sign(privateKey)
}

/** Tokens that look like an id_token of this server and are not. `good` is a genuine one. */
export async function forgeries(server: TestServer, good: string): Promise<[what: string, token: string][]> {
  const [header = '', payload = '', signature = ''] = good.split('.')
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const [publicJwk] = await server.context.keyring.published()
  const confused = new SignJWT(claimsOf(good)).setProtectedHeader({ alg: 'HS256', kid: publicJwk?.kid ?? '' })
  return [
    ['no JWT', 'x'],
    ['unsigned', `${encoded({ alg: 'none' })}.${payload}.`],
    ['without its signature', `${header}.${payload}.`],
    ['with another subject', `${header}.${encoded({ ...claimsOf(good), sub: 'other' })}.${signature}`],
    ['signed with the public key as a secret', await confused.sign(Buffer.from(JSON.stringify(publicJwk)))],
    ['of an unknown key', `${encoded({ alg: 'RS256', kid: 'unknown' })}.${payload}.${signature}`],
  ]
}

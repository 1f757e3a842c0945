import { createHash } from 'node:crypto'
import { compactVerify, errors, SignJWT } from 'jose'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { Context } from '../context.ts'
import { type SigningAlgorithm, signingAlgorithms } from '../keys/signing-keys.ts'

/** Seconds; it says that a login happened and is of no use later. */
const lifetime = 3600

/** How users log in here, in words of our own (`acr`): with a password and nothing else. */
export const passwordAcr = 'urn:latchkey:acr:password'

export type IdTokenFacts = {
  subject: string
  clientId: string
  authTime: Date
  nonce: string | null
  /** The access token that goes out beside it. */
  accessToken: string
  algorithm: SigningAlgorithm
}

/** OpenID Connect Core section 2. A refresh gives one too, without the nonce (section 12.2). */
export async function signIdToken({ config, keyring, now }: Context, about: IdTokenFacts): Promise<string> {
  const { kid, algorithm, privateKey } = await keyring.signer(about.algorithm)
  const issuedAt = Math.floor(now().getTime() / 1000)
  const claims = {
    auth_time: Math.floor(about.authTime.getTime() / 1000),
    acr: passwordAcr,
    amr: ['pwd'], // RFC 8176
    at_hash: leftHalfHash(about.accessToken),
    ...(about.nonce !== null && { nonce: about.nonce }),
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
    .setIssuer(config.authUrl)
    .setSubject(about.subject)
    .setAudience(about.clientId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetime)
    .sign(privateKey)
}

/** OpenID Connect Core section 3.1.3.6; the hash is SHA-256 for both algorithms. */
function leftHalfHash(token: string): string {
  return createHash('sha256').update(token, 'ascii').digest().subarray(0, 16).toString('base64url')
}

export type IdTokenHint = { kind: 'valid'; subject: string; clientId: string } | { kind: 'invalid' }

const Claims = Compile(Type.Object({ iss: Type.String(), sub: Type.String(), aud: Type.String() }))

/**
 * An id_token of ours that somebody shows us again (`id_token_hint`). That it has expired does not matter (OpenID Connect
 * Core section 3.1.2.1, RP-Initiated Logout section 2), nor that the key that signed it is retired.
 * @throws {DatabaseUnavailable} when the keys have to be read and cannot be
 */
export async function readIdTokenHint({ config, keyring }: Context, token: string): Promise<IdTokenHint> {
  try {
    const { payload } = await compactVerify(
      token,
      async ({ alg, kid = '' }) => {
        const key = await keyring.publicKey(kid)
        if (key?.algorithm !== alg) throw new errors.JWKSNoMatchingKey()
        return key.publicKey
      },
      { algorithms: signingAlgorithms },
    )
    const claims: unknown = JSON.parse(Buffer.from(payload).toString())
    if (!Claims.Check(claims) || claims.iss !== config.authUrl) return { kind: 'invalid' }
    return { kind: 'valid', subject: claims.sub, clientId: claims.aud }
  } catch (error) {
    if (error instanceof errors.JOSEError) return { kind: 'invalid' }
    throw error
  }
}

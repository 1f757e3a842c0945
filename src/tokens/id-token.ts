import { createHash } from 'node:crypto'
import { compactVerify, errors, SignJWT } from 'jose'
import type { Context } from '../context.ts'
import { type SigningAlgorithm, signingAlgorithms } from '../keys/signing-keys.ts'
import Type, { Compile } from '../typebox.ts'

/** Seconds. A partner checks an id_token when it receives it, and does not need it later. */
const lifetime = 3600

export type IdTokenFacts = {
  subject: string
  clientId: string
  authTime: Date
  acr: string
  /** RFC 8176. */
  amr: string[]
  nonce: string | null
  /** The access token that is sent with the id_token. */
  accessToken: string
  algorithm: SigningAlgorithm
}

/** Signs an id_token (OpenID Connect Core section 2). A refresh also returns one, without the nonce (section 12.2). */
export async function signIdToken({ config, keyring, now }: Context, facts: IdTokenFacts): Promise<string> {
  const { kid, algorithm, privateKey } = await keyring.signer(facts.algorithm)
  const issuedAt = Math.floor(now().getTime() / 1000)
  const claims = {
    auth_time: Math.floor(facts.authTime.getTime() / 1000),
    acr: facts.acr,
    amr: facts.amr,
    at_hash: leftHalfHash(facts.accessToken),
    ...(facts.nonce !== null && { nonce: facts.nonce }),
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
    .setIssuer(config.authUrl)
    .setSubject(facts.subject)
    .setAudience(facts.clientId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetime)
    .sign(privateKey)
}

/** OpenID Connect Core section 3.1.3.6. The hash is SHA-256 for both algorithms. */
function leftHalfHash(token: string): string {
  return createHash('sha256').update(token, 'ascii').digest().subarray(0, 16).toString('base64url')
}

export type IdTokenHint = { kind: 'valid'; subject: string; clientId: string } | { kind: 'invalid' }

const Claims = Compile(Type.Object({ iss: Type.String(), sub: Type.String(), aud: Type.String() }))

/**
 * Reads an id_token that this server issued and a client sends back as `id_token_hint`. The id_token may have expired
 * (OpenID Connect Core section 3.1.2.1, RP-Initiated Logout section 2), and the key that signed it may be retired.
 * @throws {DatabaseUnavailable} if the keys in memory are too old and cannot be read again
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

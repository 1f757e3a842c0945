import { type CryptoKey, exportJWK, generateKeyPair, importJWK } from 'jose'
import { ExplainedError } from '../explained-error.ts'
import { openJson, sealJson } from '../secrets/seal.ts'
import { randomId } from '../secrets/token-format.ts'
import Type, { Compile, type Static } from '../typebox.ts'

export const SigningAlgorithm = Type.Union([Type.Literal('RS256'), Type.Literal('ES256')])
export type SigningAlgorithm = Static<typeof SigningAlgorithm>
export const signingAlgorithms: SigningAlgorithm[] = ['RS256', 'ES256']

const text = Type.String()
const published = { kid: text, alg: SigningAlgorithm, use: Type.Literal('sig') }
const rsa = { kty: Type.Literal('RSA'), n: text, e: text }
const ec = { kty: Type.Literal('EC'), crv: Type.Literal('P-256'), x: text, y: text }

/** A public key as the JWKS publishes it (RFC 7517). */
export const PublicJwk = Type.Union([
  Type.Object({ ...rsa, ...published }),
  Type.Object({ ...ec, ...published }),
])
export type PublicJwk = Static<typeof PublicJwk>

const privateJwk = Compile(
  Type.Union([
    Type.Object({ ...rsa, d: text, p: text, q: text, dp: text, dq: text, qi: text }),
    Type.Object({ ...ec, d: text }),
  ]),
)

/** A key pair as the database stores it: the public key as JSON, the private key encrypted. */
export type StoredKeyPair = { kid: string; publicJwk: string; sealedPrivateJwk: string }

export async function generateSigningKey(
  algorithm: SigningAlgorithm,
  sealingKey: Buffer,
): Promise<StoredKeyPair> {
  const pair = await generateKeyPair(algorithm, { extractable: true })
  const kid = randomId()
  return {
    kid,
    publicJwk: JSON.stringify({ ...(await exportJWK(pair.publicKey)), kid, alg: algorithm, use: 'sig' }),
    sealedPrivateJwk: sealJson(await exportJWK(pair.privateKey), sealingKey),
  }
}

export class SecretMismatch extends ExplainedError {}

/** @throws {SecretMismatch} if none of the sealing keys opens it */
export async function openPrivateKey(
  sealed: string,
  algorithm: SigningAlgorithm,
  sealingKeys: readonly Buffer[],
): Promise<CryptoKey> {
  const jwk = openJson(sealed, sealingKeys)
  if (jwk === undefined) {
    throw new SecretMismatch(
      'The signing keys in the database cannot be decrypted: they were encrypted with another secret than ' +
        'LATCHKEY_SECRET, LATCHKEY_SECRET_PREVIOUS or LATCHKEY_SECRET_NEXT. Set the secret that the servers of this ' +
        'database used last as LATCHKEY_SECRET. To replace it, follow `latchkey secret rotate`.',
    )
  }
  if (!privateJwk.Check(jwk)) throw new Error('a decrypted signing key is not a private key')
  return importJWK(jwk, algorithm)
}

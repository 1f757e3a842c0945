import {
  CompactEncrypt,
  type CryptoKey,
  compactDecrypt,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose'
import Type, { type Static } from 'typebox'
import { type Database, statement } from '../database/database.ts'
import { ExplainedError } from '../explained-error.ts'
import { randomId } from '../secrets/token-format.ts'

export const SigningAlgorithm = Type.Union([Type.Literal('RS256'), Type.Literal('ES256')])
export type SigningAlgorithm = Static<typeof SigningAlgorithm>

/** The key that signs id_tokens, and its public half for the JWKS. */
export type SigningKey = { kid: string; algorithm: 'RS256'; privateKey: CryptoKey; publicJwk: JWK }

class SecretMismatch extends ExplainedError {}

const Row = Type.Object({
  kid: Type.String(),
  public_jwk: Type.Unsafe<JWK>(Type.Object({})),
  private_jwk: Type.String(),
})

const newestKey = statement(
  'newest_signing_key',
  Row,
  `SELECT kid, public_jwk, private_jwk FROM signing_keys WHERE algorithm = 'RS256' ORDER BY created_at DESC LIMIT 1`,
)

/** $1 kid, $2 public JWK, $3 sealed private JWK */
const insertKey = statement(
  'insert_signing_key',
  Row,
  `INSERT INTO signing_keys (kid, algorithm, public_jwk, private_jwk) VALUES ($1, 'RS256', $2::jsonb, $3)
   RETURNING kid, public_jwk, private_jwk`,
)

const making = 4_710_004

/**
 * The signing key of this database, made on first use and kept encrypted under `key`.
 * @throws {SecretMismatch} when it was encrypted under another LATCHKEY_SECRET
 */
export async function loadSigningKey(database: Database, key: Buffer): Promise<SigningKey> {
  const row = (await database.maybe(newestKey, [])) ?? (await firstKey(database, key))
  return {
    kid: row.kid,
    algorithm: 'RS256',
    privateKey: await open(row.private_jwk, key),
    publicJwk: row.public_jwk,
  }
}

/** Of several servers that start on an empty database, one makes the key and the others find it. */
function firstKey(database: Database, key: Buffer) {
  return database.withConnection(async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [making])
    return (await database.maybe(newestKey, [])) ?? (await database.one(insertKey, await generate(key)))
  })
}

async function generate(key: Buffer): Promise<[kid: string, publicJwk: string, privateJwk: string]> {
  const pair = await generateKeyPair('RS256', { extractable: true })
  const kid = randomId()
  const publicJwk = { ...(await exportJWK(pair.publicKey)), kid, alg: 'RS256', use: 'sig' }
  const sealed = await new CompactEncrypt(Buffer.from(JSON.stringify(await exportJWK(pair.privateKey))))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(key)
  return [kid, JSON.stringify(publicJwk), sealed]
}

async function open(sealed: string, key: Buffer): Promise<CryptoKey> {
  try {
    const { plaintext } = await compactDecrypt(sealed, key)
    const imported = await importJWK(JSON.parse(Buffer.from(plaintext).toString()), 'RS256')
    if (imported instanceof Uint8Array) throw new Error('not a private key')
    return imported
  } catch (cause) {
    throw new SecretMismatch(
      'The signing key in the database cannot be opened: it was stored under another LATCHKEY_SECRET. ' +
        'Start with the secret that this database was made with.',
      { cause },
    )
  }
}

import { type CryptoKey, importJWK } from 'jose'
import type { Database } from '../database/database.ts'
import { listSigningKeys, type SigningKeyRow } from './signing-keys.sql.ts'
import { openPrivateKey } from './signing-keys.ts'

/** A key of the database, opened; a retired one has no private half. */
export type SigningKey = SigningKeyRow & { publicKey: CryptoKey; privateKey: CryptoKey | undefined }

/**
 * All keys, of each algorithm the newest last.
 * @throws {SecretMismatch} when they were stored under another LATCHKEY_SECRET
 */
export async function openSigningKeys(database: Database, sealingKey: Buffer): Promise<SigningKey[]> {
  const rows = await database.run(listSigningKeys, [])
  return Promise.all(
    rows.map(async (row) => ({
      ...row,
      publicKey: await importJWK(row.public_jwk, row.algorithm),
      privateKey:
        row.private_jwk === null
          ? undefined
          : await openPrivateKey(row.private_jwk, row.algorithm, sealingKey),
    })),
  )
}

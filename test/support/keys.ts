import { systemOrigin } from '../../src/audit/origin.ts'
import { rotateSigningKey } from '../../src/keys/keyring.ts'
import type { SigningKeyRow } from '../../src/keys/signing-keys.sql.ts'
import type { SigningAlgorithm } from '../../src/keys/signing-keys.ts'
import { query } from './database.ts'
import { type Addresses, send } from './journey.ts'
import type { TestServer } from './server.ts'

export type KeyAtRest = {
  kid: string
  algorithm: SigningAlgorithm
  generation: number
  opens: boolean
}

/** The keys as stored in the database. `opens`: the row still has its private key. */
export function keysOf({ database }: Pick<TestServer, 'database'>): Promise<KeyAtRest[]> {
  return query<KeyAtRest>(
    database,
    `SELECT kid, algorithm, generation, private_jwk IS NOT NULL AS opens FROM signing_keys ORDER BY algorithm, generation`,
  )
}

/** Moves the stored times of all keys back by so many seconds. To the database, that much time has passed. */
export async function passKeyTime({ database }: TestServer, seconds: number): Promise<void> {
  await query(
    database,
    `UPDATE signing_keys SET created_at = created_at - make_interval(secs => $1), signs_from = signs_from - make_interval(secs => $1)`,
    [seconds],
  )
}

/** Does the same as `latchkey key rotate`. */
export function rotateKey(
  { database, context }: TestServer,
  algorithm: SigningAlgorithm = 'RS256',
): Promise<SigningKeyRow> {
  return rotateSigningKey(database, systemOrigin, context.keys, algorithm)
}

/** The address of a server's JWKS, independent of its configured public address. */
export function jwksUrl({ baseUrl }: Addresses): string {
  return new URL('/.well-known/jwks.json', baseUrl).href
}

export async function publishedKids(server: Addresses): Promise<unknown[]> {
  const { body } = await send(jwksUrl(server), {})
  return Array.isArray(body.keys) ? body.keys.map(({ kid }) => kid) : []
}

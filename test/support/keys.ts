import { rotateSigningKey } from '../../src/keys/keyring.ts'
import type { SigningKeyRow } from '../../src/keys/signing-keys.sql.ts'
import type { SigningAlgorithm } from '../../src/keys/signing-keys.ts'
import { query } from './database.ts'
import { send } from './journey.ts'
import type { TestServer } from './server.ts'

export type KeyAtRest = {
  kid: string
  algorithm: SigningAlgorithm
  generation: number
  opens: boolean
}

/** The keys as the database has them; `opens` while there is a private half. */
export function keysOf({ database }: Pick<TestServer, 'database'>): Promise<KeyAtRest[]> {
  return query<KeyAtRest>(
    database,
    `SELECT kid, algorithm, generation, private_jwk IS NOT NULL AS opens FROM signing_keys ORDER BY algorithm, generation`,
  )
}

/** Moves the past of all keys back by so many seconds, which is to the database as if they had passed. */
export async function passKeyTime({ database }: TestServer, seconds: number): Promise<void> {
  await query(
    database,
    `UPDATE signing_keys SET created_at = created_at - make_interval(secs => $1), signs_from = signs_from - make_interval(secs => $1)`,
    [seconds],
  )
}

/** What `latchkey key rotate` does. */
export function rotateKey(
  { database, context }: TestServer,
  algorithm: SigningAlgorithm = 'RS256',
): Promise<SigningKeyRow> {
  return rotateSigningKey(database, context.keys['signing-key'], algorithm)
}

/** The address of a server's own JWKS, whatever it calls itself. */
export function jwksUrl({ baseUrl }: TestServer): string {
  return new URL('/.well-known/jwks.json', baseUrl).href
}

export async function publishedKids(server: TestServer): Promise<unknown[]> {
  const { body } = await send(jwksUrl(server), {})
  return Array.isArray(body.keys) ? body.keys.map(({ kid }) => kid) : []
}

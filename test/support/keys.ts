import { rotateSigningKey } from '../../src/keys/rotate-signing-key.ts'
import type { SigningKeyRow } from '../../src/keys/signing-keys.sql.ts'
import type { SigningAlgorithm } from '../../src/keys/signing-keys.ts'
import { codeFor, type Issued, issued } from './connection.ts'
import { query } from './database.ts'
import { send, token } from './journey.ts'
import type { TestPartner, TestServer } from './server.ts'
import { Visitor } from './visitor.ts'

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

export async function partnerSigning(server: TestServer, algorithm: SigningAlgorithm): Promise<TestPartner> {
  const partner = await server.partner({ name: `Partner with ${algorithm}` })
  await query(server.database, `UPDATE partners SET id_token_alg = $2 WHERE client_id = $1`, [
    partner.clientId,
    algorithm,
  ])
  return partner
}

export async function tokensOf(server: TestServer, partner: TestPartner, userId: string): Promise<Issued> {
  const code = await codeFor(new Visitor(), server, partner, userId)
  return issued(await token(server, partner, { grant_type: 'authorization_code', code }))
}

/** The address of a server's own JWKS, whatever it calls itself. */
export function jwksUrl({ baseUrl }: TestServer): string {
  return new URL('/.well-known/jwks.json', baseUrl).href
}

export async function publishedKids(server: TestServer): Promise<unknown[]> {
  const { body } = await send(jwksUrl(server), {})
  return Array.isArray(body.keys) ? body.keys.map(({ kid }) => kid) : []
}

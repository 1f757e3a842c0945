import Type, { type Static } from 'typebox'
import type { Value } from '../database/database.ts'
import type { ClientCredential } from './client-authentication.ts'

/**
 * The common table expressions by which a statement authenticates the client that asks: `client` has the partner's row,
 * whatever its status. An assertion is used up by the same statement, and only once everything else is right, so that
 * nobody can use up those of others: of any number of parallel uses one inserts the row, and a statement that fails
 * leaves none (RFC 7523 section 3). One that has expired by the database's clock is refused, so its row may be purged
 * once the statements that began before are over (docs/adr/0011).
 *
 * $1 client_id, $2 method, $3 digest of the credential, $4 hash of the assertion or null, $5 when it expires or null
 */
export const authenticatedClient = `
   credentialed AS (
     SELECT client_id, status, id_token_alg, $2::text = ANY (auth_methods) AS permitted FROM partners
      WHERE client_id = $1
        AND $3::bytea = ANY (CASE $2 WHEN 'private_key_jwt' THEN key_thumbprints ELSE secret_hashes END)
   ), used AS (
     INSERT INTO client_assertions (hash, expires_at)
     SELECT $4::bytea, $5::timestamptz FROM credentialed WHERE permitted AND $2 = 'private_key_jwt' AND $5 > now()
     ON CONFLICT DO NOTHING RETURNING hash
   ), client AS (
     SELECT client_id, status, id_token_alg FROM credentialed
      WHERE permitted AND ($2 <> 'private_key_jwt' OR EXISTS (SELECT FROM used))
   )`

/** The values of `$1` to `$5`. */
export function clientValues({ clientId, method, digest, assertion }: ClientCredential): Value[] {
  return [clientId, method, digest, assertion?.hash ?? null, assertion?.expiresAt ?? null]
}

/**
 * The column by which a statement that begins with `authenticatedClient` says who asked.
 *
 * `assertion_required` is told to anybody who sends a secret for a client that has none. That reveals nothing secret: no
 * secret can be right, so there is nothing to guess, and that the client exists is public, because its client_id stands
 * in the address of every authorization request and the authorize endpoint answers whether it is known.
 */
export const clientAuthenticationColumn = `
   CASE WHEN NOT EXISTS (SELECT FROM credentialed) THEN
          CASE WHEN $2 <> 'private_key_jwt' AND EXISTS (SELECT FROM partners WHERE client_id = $1 AND secret_hashes = '{}')
               THEN 'assertion_required' ELSE 'unknown' END
        WHEN NOT (SELECT permitted FROM credentialed) THEN 'wrong_method'
        WHEN NOT EXISTS (SELECT FROM client) THEN 'assertion_used'
        ELSE (SELECT status FROM client) END AS client_authentication`

export const ClientAuthentication = Type.Union([
  Type.Literal('active'),
  Type.Literal('suspended'),
  Type.Literal('unknown'),
  Type.Literal('wrong_method'),
  Type.Literal('assertion_required'),
  Type.Literal('assertion_used'),
])
export type ClientAuthentication = Static<typeof ClientAuthentication>

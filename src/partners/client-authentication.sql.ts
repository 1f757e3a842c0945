import type { Value } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'
import type { ClientCredential } from './client-authentication.ts'

/**
 * Common table expressions that authenticate the client in the statement that acts for it. `client` has the partner's row,
 * even if the partner is suspended.
 *
 * The same statement records an assertion as used (RFC 7523 section 3). It does so only if everything else is correct, so
 * that an attacker cannot use up the assertions of another client. If an assertion is used several times in parallel, only
 * one use inserts the row. A statement that fails inserts none. An assertion that has expired by the database's clock is
 * refused. Its row may therefore be purged when all statements that began before are finished (docs/adr/0011).
 *
 * $1 client_id, $2 method, $3 digest of the credential, $4 hash of the assertion or null, $5 when it expires or null
 */
export const authenticatedClient = `
   credentialed AS (
     SELECT client_id, status, id_token_alg, id_token_on_refresh, $2::text = ANY (auth_methods) AS permitted FROM partners
      WHERE client_id = $1
        AND $3::bytea = ANY (CASE $2 WHEN 'private_key_jwt' THEN key_thumbprints ELSE secret_hashes END)
   ), used AS (
     INSERT INTO client_assertions (hash, expires_at)
     SELECT $4::bytea, $5::timestamptz FROM credentialed WHERE permitted AND $2 = 'private_key_jwt' AND $5 > now()
     ON CONFLICT DO NOTHING RETURNING hash
   ), client AS (
     SELECT client_id, status, id_token_alg, id_token_on_refresh FROM credentialed
      WHERE permitted AND ($2 <> 'private_key_jwt' OR EXISTS (SELECT FROM used))
   )`

/**
 * SQL: whether an active partner `client` has authenticated with a secret. For statements of the common case, which leave all
 * other cases to a statement that begins with `authenticatedClient`. $1 client_id, $2 method, $3 SHA-256 of the secret
 */
export const isActiveWithSecret = `client.client_id = $1 AND client.status = 'active' AND $2::text = ANY (client.auth_methods)
       AND $2 <> 'private_key_jwt' AND $3::bytea = ANY (client.secret_hashes)`

/** The values of `$1` to `$5`. */
export function clientValues({ clientId, method, digest, assertion }: ClientCredential): Value[] {
  return [clientId, method, digest, assertion?.hash ?? null, assertion?.expiresAt ?? null]
}

/**
 * The column with the result of client authentication, for a statement that begins with `authenticatedClient`.
 *
 * Anyone who sends a secret for a client that only signs gets `assertion_required`. This reveals nothing secret. No secret
 * is correct, so an attacker has nothing to guess. It is public that the client exists: its client_id is in the address of
 * every authorization request, and the authorize endpoint answers whether a client_id is known.
 *
 * Only those who have a secret that leaked get `secret_leaked`. It no longer works.
 */
export const clientAuthenticationColumn = `
   CASE WHEN NOT EXISTS (SELECT FROM credentialed) THEN
          CASE WHEN $2 = 'private_key_jwt' THEN 'unknown'
               WHEN EXISTS (SELECT FROM partners WHERE client_id = $1 AND $3 = ANY (leaked_secret_hashes)) THEN 'secret_leaked'
               WHEN EXISTS (SELECT FROM partners WHERE client_id = $1 AND auth_methods = '{private_key_jwt}') THEN 'assertion_required'
               ELSE 'unknown' END
        WHEN NOT (SELECT permitted FROM credentialed) THEN 'wrong_method'
        WHEN NOT EXISTS (SELECT FROM client) THEN 'assertion_used'
        ELSE (SELECT status FROM client) END AS client_authentication`

export const ClientAuthentication = Type.Union([
  Type.Literal('active'),
  Type.Literal('suspended'),
  Type.Literal('unknown'),
  Type.Literal('wrong_method'),
  Type.Literal('assertion_required'),
  Type.Literal('secret_leaked'),
  Type.Literal('assertion_used'),
])
export type ClientAuthentication = Static<typeof ClientAuthentication>

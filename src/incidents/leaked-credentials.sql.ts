import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import { mayBeLive } from '../grants/ended.sql.ts'
import { mailRow } from '../outbox/mail-row.sql.ts'
import { isIssuedToken } from '../tokens/access-nonce.sql.ts'
import Type from '../typebox.ts'

/**
 * `was_live`: the credential worked until this statement, or would have again once its user is enabled. No row: it was never
 * issued, or its connection is deleted.
 */
const OfConnection = Type.Object({
  client_id: Type.String(),
  user_id: Type.String(),
  was_live: Type.Boolean(),
})

/** For `found`, which has the connection, and `ended`, which has a row if the credential worked. */
const recorded = (credential: string, notice: 'access' | 'connection') => `recorded AS (
     ${auditRow('credential.leaked', {
       origin: '$2',
       from: 'found f WHERE f.was_live',
       target: { kind: 'connection', id: 'f.id' },
       about: { user: 'f.user_id', client: 'f.client_id' },
       details: { credential: `'${credential}'`, grant: 'f.grant_id', source: '$3::text' },
     })}
   ), mail AS (
     ${mailRow('leaked', {
       from: "ended e JOIN found f USING (id) JOIN users u ON u.id = f.user_id JOIN partners p ON p.client_id = f.client_id WHERE $4::boolean AND u.status = 'active'",
       facts: { partner: 'p.name', ended: `'${notice}'`, at: 'now()' },
     })}
   )
   SELECT client_id, user_id, was_live FROM found`

const endingOf = (credential: string) => `ended AS (
     UPDATE connections c SET revoked_at = now(), revoked_for = 'leaked'
       FROM found f WHERE c.id = f.id AND f.was_live AND c.revoked_at IS NULL RETURNING c.id
   ), ending AS (
     ${auditRow('connection.ended', {
       origin: '$2',
       from: 'ended e JOIN found f USING (id)',
       target: { kind: 'connection', id: 'f.id' },
       about: { user: 'f.user_id', client: 'f.client_id' },
       details: { cause: `'leaked'`, grant: 'f.grant_id' },
     })}
   ), ${recorded(credential, 'connection')}`

const connection = 'connections c JOIN grants g ON g.id = c.grant_id JOIN users u ON u.id = g.user_id'

/**
 * Ends the connection of a leaked refresh token, of whichever generation. The thief may have rotated it.
 * $1 SHA-256 of its locator, $2 origin, $3 where it was found, or null, $4 whether the user gets a mail
 */
export const endLeakedRefreshToken = statement(
  'end_leaked_refresh_token',
  OfConnection,
  `WITH found AS (
     SELECT c.id, c.grant_id, g.client_id, g.user_id, ${mayBeLive('c', 'g', 'u')} AS was_live
       FROM ${connection} WHERE c.refresh_locator_hash = $1
   ), ${endingOf('refresh_token')}`,
)

/**
 * Ends the connection that a leaked code would start. A code that was redeemed or has expired is worth nothing.
 * $1 SHA-256 of the code, $2 to $4 as above
 */
export const endLeakedCode = statement(
  'end_leaked_code',
  OfConnection,
  `WITH found AS (
     SELECT c.id, c.grant_id, g.client_id, g.user_id,
            ${mayBeLive('c', 'g', 'u')} AND c.redemptions = 0 AND c.code_expires_at > now() AS was_live
       FROM ${connection} WHERE c.code_hash = $1
   ), ${endingOf('authorization_code')}`,
)

/**
 * Ends all access tokens of the connection of a leaked one. The refresh token goes on: it did not leak, and the partner gets a
 * new access token without the user.
 * $1 SHA-256 of its locator, $2 to $4 as above, $5 its nonce, $6 when it expires
 */
export const endLeakedAccessToken = statement(
  'end_leaked_access_token',
  OfConnection,
  `WITH found AS (
     SELECT c.id, c.grant_id, g.client_id, g.user_id,
            ${mayBeLive('c', 'g', 'u')} AND now() < $6::timestamptz AND ${isIssuedToken('$5::bytea', '$6')} AS was_live
       FROM ${connection} WHERE c.access_locator_hash = $1
   ), ended AS (
     UPDATE connections c SET access_nonce = NULL, previous_access_nonce = NULL
       FROM found f WHERE c.id = f.id AND f.was_live RETURNING c.id
   ), ${recorded('access_token', 'access')}`,
)

/**
 * Withdraws a leaked client secret, at once and even if it is the only one: anyone who has it can act as the partner.
 * $1 SHA-256 of the secret, $2 origin, $3 where it was found, or null. No row: no partner has or had this secret.
 */
export const withdrawLeakedSecret = statement(
  'withdraw_leaked_secret',
  Type.Object({ client_id: Type.String(), was_live: Type.Boolean(), live_secrets: Type.Integer() }),
  `WITH found AS (
     SELECT client_id, $1 = ANY (secret_hashes) AS was_live, array_remove(secret_hashes, $1::bytea) AS others
       FROM partners WHERE $1 = ANY (secret_hashes) OR $1 = ANY (leaked_secret_hashes)
   ), withdrawn AS (
     UPDATE partners p SET secret_hashes = array_remove(p.secret_hashes, $1::bytea),
                           leaked_secret_hashes = p.leaked_secret_hashes || $1::bytea
       FROM found f WHERE p.client_id = f.client_id AND $1 = ANY (p.secret_hashes)
     RETURNING p.client_id, cardinality(p.secret_hashes) AS live_secrets
   ), recorded AS (
     ${auditRow('credential.leaked', {
       origin: '$2',
       from: 'withdrawn w',
       target: { kind: 'partner', id: 'w.client_id' },
       about: { client: 'w.client_id' },
       details: { credential: `'client_secret'`, live_secrets: 'w.live_secrets', source: '$3::text' },
     })}
   )
   SELECT client_id, was_live, cardinality(others) AS live_secrets FROM found`,
)

/** Revokes a key at once. `about`: whom the audit record is about, of the revoked key `r`. */
const revokingKey = (
  kind: 'api_key' | 'developer_key',
  own: { columns: string[]; about?: { client: string } },
) => {
  const columns = ['id', 'name', ...own.columns].join(', ')
  return `WITH found AS (
     SELECT ${columns}, revoked_at IS NULL AND coalesce(expires_at > now(), true) AS was_live FROM ${kind}s WHERE hash = $1
   ), revoked AS (
     UPDATE ${kind}s k SET revoked_at = now() FROM found f WHERE k.id = f.id AND k.revoked_at IS NULL
     RETURNING k.*
   ), recorded AS (
     ${auditRow('credential.leaked', {
       origin: '$2',
       from: 'revoked r',
       target: { kind, id: 'r.id' },
       ...(own.about && { about: own.about }),
       details: { credential: `'${kind}'`, name: 'r.name', source: '$3::text' },
     })}
   )
   SELECT ${columns}, was_live FROM found`
}

/** $1 SHA-256 of the key, $2 origin, $3 where it was found, or null. No row: there is no such key. */
export const revokeLeakedApiKey = statement(
  'revoke_leaked_api_key',
  Type.Object({ id: Type.String(), was_live: Type.Boolean() }),
  revokingKey('api_key', { columns: [] }),
)

/** The parameters of `revokeLeakedApiKey`. */
export const revokeLeakedDeveloperKey = statement(
  'revoke_leaked_developer_key',
  Type.Object({ id: Type.String(), client_id: Type.String(), was_live: Type.Boolean() }),
  revokingKey('developer_key', { columns: ['client_id'], about: { client: 'r.client_id' } }),
)

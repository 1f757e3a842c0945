import { auditRow } from '../audit/audit-row.sql.ts'
import { Bytes, Instant, statement } from '../database/database.ts'
import { Ended, isLive, whenEnded } from '../grants/ended.sql.ts'
import { SigningAlgorithm } from '../keys/signing-keys.ts'
import {
  authenticatedClient,
  ClientAuthentication,
  clientAuthenticationColumn,
  isActiveWithSecret,
} from '../partners/client-authentication.sql.ts'
import Type, { type Static } from '../typebox.ts'
import { accessNonceMinutes, rotationGraceSeconds } from './lifetimes.ts'

const grace = `interval '${rotationGraceSeconds} seconds'`

/**
 * A clock that steps back must not make a stored moment earlier. Until it has caught up, no mark begins: the tokens that were
 * rotated since the latest mark keep their grace for that long (docs/adr/0019).
 */
const moment = 'greatest(c.refreshed_at, now())'

/** SQL: whether `$7`, which is older than the predecessor of the newest token, was rotated long ago. */
const isReplay = `c.generation > $7 + 1
    AND NOT ($7 >= c.mark_generation AND ${moment} < c.marked_at + 2 * ${grace})
    AND NOT ($7 >= c.earlier_generation AND ${moment} < c.earlier_at + 2 * ${grace})`

const isNewest = 'c.generation = $7'
const markIsDue = `c.marked_at <= ${moment} - ${grace}`
const beginsMark = `${isNewest} AND ${markIsDue}`
const needsNonce = `(c.access_nonce IS NULL OR c.access_nonce_at <= ${moment} - interval '${accessNonceMinutes} minutes')`

/** SET clauses that keep the nonce of every access token that has not expired. */
const accessNonces = (newNonce: string) => `
       previous_access_nonce = CASE WHEN ${needsNonce} THEN c.access_nonce ELSE c.previous_access_nonce END,
       access_nonce = CASE WHEN ${needsNonce} THEN ${newNonce}::bytea ELSE c.access_nonce END,
       access_nonce_at = CASE WHEN ${needsNonce} THEN ${moment} ELSE c.access_nonce_at END`

/** The live connection `c` of the locator, with its grant and user. */
const live = (
  locatorHash: string,
) => `c.refresh_locator_hash = ${locatorHash} AND g.id = c.grant_id AND u.id = g.user_id
       AND ${isLive('c', 'g', 'u')}`

const Rotated = {
  connection_id: Type.String(),
  grant_id: Type.String(),
  generation: Type.Integer(),
  refreshed_at: Instant,
  access_nonce: Bytes,
  subject: Type.String(),
  auth_time: Instant,
  acr: Type.String(),
  amr: Type.Array(Type.String()),
  id_token_alg: SigningAlgorithm,
  id_token_on_refresh: Type.Boolean(),
  /** Whether the request was a replay, and has therefore revoked the connection. */
  replayed: Type.Boolean(),
  issued_at: Instant,
}
const RotatedRow = Type.Object(Rotated)
export type Rotated = Static<typeof RotatedRow>

const rotated = `c.id AS connection_id, c.grant_id, c.generation, c.refreshed_at, c.access_nonce, g.subject, c.auth_time,
               c.acr, c.amr, client.id_token_alg, client.id_token_on_refresh, c.revoked_at IS NOT NULL AS replayed, now() AS issued_at`

/**
 * The common case of `rotateRefreshToken`: a client with a secret presents the newest token of a live connection. Everything
 * is one UPDATE, which costs PostgreSQL a fifth less. No row in every other case, and nothing is changed.
 *
 * $1 client_id, $2 method, $3 SHA-256 of the secret, $4 SHA-256 of the refresh token's locator, $5 its generation, $6 when it
 * expires, $7 a new access nonce
 */
export const rotateNewestToken = statement(
  'rotate_newest_token',
  RotatedRow,
  `UPDATE connections c SET
       generation = c.generation + 1,
       refreshed_at = ${moment},
       mark_generation = CASE WHEN ${markIsDue} THEN c.generation ELSE c.mark_generation END,
       marked_at = CASE WHEN ${markIsDue} THEN ${moment} ELSE c.marked_at END,
       earlier_generation = CASE WHEN ${markIsDue} THEN c.mark_generation ELSE c.earlier_generation END,
       earlier_at = CASE WHEN ${markIsDue} THEN c.marked_at ELSE c.earlier_at END, ${accessNonces('$7')}
      FROM partners client, grants g, users u
     WHERE ${isActiveWithSecret}
       AND ${live('$4')} AND c.client_id = client.client_id AND c.generation = $5::bigint AND now() < $6::timestamptz
    RETURNING ${rotated}`,
)

/**
 * Authenticates the client and rotates a refresh token. `$7` is the generation of the presented token:
 *
 * - the newest one: the next generation becomes the newest
 * - one before it: its successor, which is unused. After the grace its 30 days begin again.
 * - older, but rotated within the grace: the newest token, because parallel workers rotated it meanwhile
 * - older: a replay, which revokes the connection (RFC 9700 section 4.14.2), even if the token has expired
 *
 * Only columns of the UPDATE's target are compared with `$7`, because PostgreSQL reads them again after it has waited for
 * a parallel request. No column with an index is changed. A token of another client, an expired token, a token ahead of
 * the row, and an ended connection change nothing.
 *
 * $1 to $5 the client, $6 SHA-256 of the refresh token's locator, $7 its generation, $8 when it expires, $9 a new access
 * nonce, $10 origin. $6 to $8 are null if the text is not a token of this server.
 */
export const rotateRefreshToken = statement(
  'rotate_refresh_token',
  Type.Union([
    Type.Object({ client_authentication: ClientAuthentication, ...Rotated }),
    /** No row was changed: `explainRefresh` says why. */
    Type.Object({ client_authentication: ClientAuthentication, connection_id: Type.Null() }),
  ]),
  `WITH ${authenticatedClient}, rotated AS (
     UPDATE connections c SET
       generation = CASE WHEN ${isNewest} THEN c.generation + 1 ELSE c.generation END,
       refreshed_at = CASE WHEN ${isNewest} OR c.refreshed_at <= now() - ${grace} THEN ${moment} ELSE c.refreshed_at END,
       mark_generation = CASE WHEN ${beginsMark} THEN c.generation ELSE c.mark_generation END,
       marked_at = CASE WHEN ${beginsMark} THEN ${moment} ELSE c.marked_at END,
       earlier_generation = CASE WHEN ${beginsMark} THEN c.mark_generation ELSE c.earlier_generation END,
       earlier_at = CASE WHEN ${beginsMark} THEN c.marked_at ELSE c.earlier_at END,
       revoked_at = CASE WHEN ${isReplay} THEN now() END,
       revoked_for = CASE WHEN ${isReplay} THEN 'refresh_replayed' END, ${accessNonces('$9')}
      FROM client, grants g, users u
     WHERE ${live('$6')} AND c.client_id = client.client_id AND client.status = 'active'
       AND $7::bigint <= c.generation AND (now() < $8::timestamptz OR ${isReplay})
     RETURNING ${rotated}
   ), recorded AS (
     ${auditRow(['token.replayed', 'connection.ended'], {
       origin: '$10',
       from: 'rotated r JOIN grants g ON g.id = r.grant_id WHERE r.replayed',
       target: { kind: 'connection', id: 'r.connection_id' },
       about: { user: 'g.user_id', client: 'g.client_id' },
       details: {
         cause: `'refresh_replayed'`,
         grant: 'r.grant_id',
         newest_generation: 'r.generation',
         presented_generation: '$7::bigint',
       },
     })}
   )
   SELECT ${clientAuthenticationColumn}, r.*
     FROM (SELECT) AS always LEFT JOIN rotated r ON true`,
)

/**
 * Says why `rotateRefreshToken` changed nothing for an authenticated client. No row: the token has no connection of this
 * client. $1 client_id, $2 SHA-256 of the locator, $3 generation, $4 when the token expires
 */
export const explainRefresh = statement(
  'explain_refresh',
  Type.Object({
    grant_id: Type.String(),
    ended: Type.Union([Ended, Type.Null()]),
    expired: Type.Boolean(),
    ahead: Type.Boolean(),
  }),
  `SELECT c.grant_id, CASE ${whenEnded('c', 'g', 'u')} END AS ended, $4::timestamptz <= now() AS expired, $3::bigint > c.generation AS ahead
     FROM connections c JOIN grants g ON g.id = c.grant_id JOIN users u ON u.id = g.user_id
    WHERE c.refresh_locator_hash = $2 AND c.client_id = $1`,
)

/** Generations that a token may be ahead of its row after a restore: more than a client uses in 30 days of hourly refreshes. */
const mostGenerationsAhead = 1000

const isUnused = '$3 >= c.generation'

/**
 * Rotates a token that is ahead of its row, because it was issued after the backup that was restored. Works only until
 * the time that `latchkey restore` has set. The client is authenticated already. Nothing tells whether the presented
 * token was the newest one. If two clients hold tokens of different generations, and the one that is behind refreshes until
 * both are equal, no replay is seen: the operator accepts this for the time of the window (docs/adr/0019). If a parallel
 * request with the same token was first, the answer is the same.
 *
 * $1 client_id, $2 SHA-256 of the locator, $3 generation, $4 when it expires, $5 a new access nonce
 */
export const rotateAheadOfRow = statement(
  'rotate_ahead_of_row',
  RotatedRow,
  `WITH client AS (
     SELECT client_id, id_token_alg, id_token_on_refresh FROM partners WHERE client_id = $1 AND status = 'active'
   ), rotated AS (
     UPDATE connections c SET
       generation = greatest(c.generation, $3 + 1),
       refreshed_at = CASE WHEN ${isUnused} THEN ${moment} ELSE c.refreshed_at END,
       mark_generation = CASE WHEN ${isUnused} THEN $3 ELSE c.mark_generation END,
       marked_at = CASE WHEN ${isUnused} THEN ${moment} ELSE c.marked_at END, ${accessNonces('$5')}
      FROM client, grants g, users u, deployment d
     WHERE ${live('$2')} AND c.client_id = client.client_id AND now() < d.accepts_tokens_ahead_until
       AND $3::bigint >= c.generation - 1 AND $3 <= c.generation + ${mostGenerationsAhead} AND now() < $4::timestamptz
     RETURNING ${rotated}
   )
   SELECT * FROM rotated`,
)

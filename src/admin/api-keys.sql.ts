import { auditRow } from '../audit/audit-row.sql.ts'
import { Instant, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'

const optionalInstant = Type.Union([Instant, Type.Null()])

const ApiKeyRow = Type.Object({
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  created_at: Instant,
  /** Null: it does not expire. */
  expires_at: optionalInstant,
  /** To the minute. Null: it has never been used. */
  last_used_at: optionalInstant,
  revoked_at: optionalInstant,
  state: Type.Union([Type.Literal('live'), Type.Literal('expired'), Type.Literal('revoked')]),
})
export type ApiKeyRow = Static<typeof ApiKeyRow>

const columns = `k.id, k.name, k.scopes, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
          CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired' ELSE 'live' END AS state`

/**
 * A key that another key creates expires with that key at the latest: a thief must not
 * get a key that lives longer than the stolen one.
 *
 * $1 id, $2 name, $3 SHA-256 of the key, $4 scopes, $5 days until it expires, or null, $6 origin
 */
export const insertApiKey = statement(
  'insert_api_key',
  ApiKeyRow,
  `WITH k AS (
     INSERT INTO api_keys (id, name, hash, scopes, expires_at)
     VALUES ($1, $2, $3, $4, least(now() + make_interval(days => $5::integer),
                                   (SELECT maker.expires_at FROM api_keys maker
                                     WHERE $6::jsonb->>'actor_kind' = 'api_key' AND maker.id = $6::jsonb->>'actor_id')))
     RETURNING *
   ), audit AS (
     ${auditRow('api_key.created', {
       origin: '$6',
       from: 'k',
       target: { kind: 'api_key', id: 'k.id' },
       details: { name: 'k.name', scopes: 'to_jsonb(k.scopes)', expires_at: 'k.expires_at' },
     })}
   )
   SELECT ${columns} FROM k`,
)

/** All keys, also expired and revoked ones, in the order in which they were created. */
export const listApiKeys = statement(
  'list_api_keys',
  ApiKeyRow,
  `SELECT ${columns} FROM api_keys k ORDER BY k.created_at, k.id`,
)

/** From the next request on, the key is refused. $1 id, $2 origin. No row: there is no such key, or it is revoked. */
export const revokeApiKeyRow = statement(
  'revoke_api_key',
  ApiKeyRow,
  `WITH k AS (
     UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING *
   ), audit AS (
     ${auditRow('api_key.revoked', {
       origin: '$2',
       from: 'k',
       target: { kind: 'api_key', id: 'k.id' },
       details: { name: 'k.name' },
     })}
   )
   SELECT ${columns} FROM k`,
)

/** `is_used_again`: `last_used_at` is to be written. $1 SHA-256 of the key. No row: there is no such key. */
export const findApiKey = statement(
  'find_api_key',
  Type.Object({ ...ApiKeyRow.properties, is_used_again: Type.Boolean() }),
  `SELECT ${columns}, coalesce(k.last_used_at <= now() - interval '1 minute', true) AS is_used_again
     FROM api_keys k WHERE k.hash = $1`,
)

/** Writes that a key was used, at most once a minute. $1 id */
export const touchApiKey = statement(
  'touch_api_key',
  Type.Object({ id: Type.String() }),
  `UPDATE api_keys SET last_used_at = now()
    WHERE id = $1 AND coalesce(last_used_at <= now() - interval '1 minute', true) RETURNING id`,
)

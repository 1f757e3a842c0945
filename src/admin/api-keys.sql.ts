import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import { endOfNewKey, isUsedAgain, keyColumns, keyFields } from '../management/key-rules.ts'
import Type, { type Static } from '../typebox.ts'

const ApiKeyRow = Type.Object({ ...keyFields, scopes: Type.Array(Type.String()) })
export type ApiKeyRow = Static<typeof ApiKeyRow>

const columns = `${keyColumns}, k.scopes`

/** $1 id, $2 name, $3 SHA-256 of the key, $4 scopes, $5 days until it expires, or null, $6 origin */
export const insertApiKey = statement(
  'insert_api_key',
  ApiKeyRow,
  `WITH k AS (
     INSERT INTO api_keys (id, name, hash, scopes, expires_at)
     VALUES ($1, $2, $3, $4, ${endOfNewKey('api_key', '$5', '$6')})
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
  `SELECT ${columns}, ${isUsedAgain} AS is_used_again
     FROM api_keys k WHERE k.hash = $1`,
)

/** Writes that a key was used, at most once a minute. $1 id */
export const touchApiKey = statement(
  'touch_api_key',
  Type.Object({ id: Type.String() }),
  `UPDATE api_keys k SET last_used_at = now() WHERE k.id = $1 AND ${isUsedAgain} RETURNING k.id`,
)

import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import { endOfNewKey, isUsedAgain, keyColumns, keyFields } from '../management/key-rules.ts'
import Type, { type Static } from '../typebox.ts'
import { DeveloperRole } from './roles.ts'

const DeveloperKeyRow = Type.Object({
  ...keyFields,
  client_id: Type.String(),
  role: DeveloperRole,
  /** Who created it, as the audit log has it. */
  created_by: Type.Object({
    kind: Type.String(),
    id: Type.Union([Type.String(), Type.Null()]),
    name: Type.Union([Type.String(), Type.Null()]),
  }),
})
export type DeveloperKeyRow = Static<typeof DeveloperKeyRow>

const columns = `${keyColumns}, k.client_id, k.role, k.created_by`

/** Live keys that a partner may have. */
export const mostLiveKeys = 100

/**
 * $1 id, $2 client_id, $3 name, $4 role, $5 SHA-256 of the key, $6 days until it expires, or null, $7 origin. No row: there is
 * no such partner, or it has `mostLiveKeys` live keys.
 */
export const insertDeveloperKey = statement(
  'insert_developer_key',
  DeveloperKeyRow,
  `WITH p AS (
     SELECT client_id FROM partners WHERE client_id = $2 FOR NO KEY UPDATE
   ), k AS (
     INSERT INTO developer_keys (id, client_id, name, role, hash, created_by, expires_at)
     SELECT $1, p.client_id, $3, $4, $5,
            jsonb_build_object('kind', $7::jsonb->>'actor_kind', 'id', $7::jsonb->>'actor_id',
                               'name', $7::jsonb->>'actor_name'),
            ${endOfNewKey('developer_key', '$6', '$7')}
       FROM p WHERE live_developer_keys_of(p.client_id) < ${mostLiveKeys}
     RETURNING *
   ), audit AS (
     ${auditRow('developer_key.created', {
       origin: '$7',
       from: 'k',
       target: { kind: 'developer_key', id: 'k.id' },
       about: { client: 'k.client_id' },
       details: { name: 'k.name', role: 'k.role', expires_at: 'k.expires_at' },
     })}
   )
   SELECT ${columns} FROM k`,
)

/** All keys of a partner, also expired and revoked ones, in the order in which they were created. $1 client_id */
export const listDeveloperKeys = statement(
  'list_developer_keys',
  DeveloperKeyRow,
  `SELECT ${columns} FROM developer_keys k WHERE k.client_id = $1 ORDER BY k.created_at, k.id`,
)

/**
 * From the next request on, the key is refused. $1 id, $2 client_id, $3 origin. No row: the partner has no such key, or it is
 * revoked.
 */
export const revokeDeveloperKeyRow = statement(
  'revoke_developer_key',
  DeveloperKeyRow,
  `WITH k AS (
     UPDATE developer_keys SET revoked_at = now() WHERE id = $1 AND client_id = $2 AND revoked_at IS NULL RETURNING *
   ), audit AS (
     ${auditRow('developer_key.revoked', {
       origin: '$3',
       from: 'k',
       target: { kind: 'developer_key', id: 'k.id' },
       about: { client: 'k.client_id' },
       details: { name: 'k.name' },
     })}
   )
   SELECT ${columns} FROM k`,
)

/** `is_used_again`: `last_used_at` is to be written. $1 SHA-256 of the key. No row: there is no such key. */
export const findDeveloperKey = statement(
  'find_developer_key',
  Type.Object({ ...DeveloperKeyRow.properties, is_used_again: Type.Boolean() }),
  `SELECT ${columns}, ${isUsedAgain} AS is_used_again FROM developer_keys k WHERE k.hash = $1`,
)

/** Writes that a key was used, at most once a minute. $1 id */
export const touchDeveloperKey = statement(
  'touch_developer_key',
  Type.Object({ id: Type.String() }),
  `UPDATE developer_keys k SET last_used_at = now() WHERE k.id = $1 AND ${isUsedAgain} RETURNING k.id`,
)

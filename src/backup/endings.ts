import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { endOfGrant, isLiveGrant } from '../grants/ended.sql.ts'
import Type, { Compile } from '../typebox.ts'
import { BackupError } from './backup-format.ts'

// A restore must not make valid again what ended after the backup (the endings): disconnected apps, revoked connections,
// disabled users, suspended partners, replaced passwords and secrets.

/** The number of rows that the endings changed in each table. */
export type AppliedEndings = { grants: number; connections: number; users: number; partners: number }

const nothingApplied: AppliedEndings = { grants: 0, connections: 0, users: 0, partners: 0 }

/** Each `query` reads rows of the replaced database. They are copied to the temporary `table` in the restored database. */
const copiedRows = [
  {
    table:
      'replaced_grants (id bigint, user_id text, client_id text, revoked_at timestamptz, revoked_by text, revoked_for text)',
    query: `SELECT id, user_id, client_id, ${endOfGrant('g')}, revoked_by, revoked_for FROM grants g WHERE NOT ${isLiveGrant('g')}`,
  },
  {
    table: 'replaced_connections (id bigint, code_hash bytea, revoked_at timestamptz, revoked_for text)',
    query: 'SELECT id, code_hash, revoked_at, revoked_for FROM connections WHERE revoked_at IS NOT NULL',
  },
  {
    table:
      'replaced_partners (client_id text, status text, redirect_uris text[], auth_methods text[], secret_hashes bytea[], jwks jsonb, key_thumbprints bytea[])',
    query:
      'SELECT client_id, status, redirect_uris, auth_methods, secret_hashes, jwks, key_thumbprints FROM partners',
  },
]

/**
 * A row has the same id in both databases. The other compared columns make sure that it is the same grant. A cause that the
 * schema of the backup does not know becomes NULL.
 */
const endGrants = `
  UPDATE grants g SET revoked_at = r.revoked_at,
         revoked_by = CASE WHEN r.revoked_by IN ('user', 'operator') THEN r.revoked_by END,
         revoked_for = CASE WHEN r.revoked_for = 'firm_changed' THEN r.revoked_for END
    FROM replaced_grants r
   WHERE r.id = g.id AND r.user_id = g.user_id AND r.client_id = g.client_id AND g.revoked_at IS NULL`

const endConnections = `
  UPDATE connections c SET revoked_at = r.revoked_at,
         revoked_for = CASE WHEN r.revoked_for IN ('code_replayed', 'code_misused', 'refresh_replayed', 'partner')
                            THEN r.revoked_for END
    FROM replaced_connections r
   WHERE r.id = c.id AND r.code_hash = c.code_hash AND c.revoked_at IS NULL`

/**
 * What a restored user takes over. Includes the operator's mark: without it, the next import would make the user active again.
 * Includes the digest: without it, the next import would set an old password back.
 */
const userColumns = [
  'status',
  'password_hash',
  'imported_hash_digest',
  'login_version',
  'disabled_by_operator_at',
]

/** Takes over the columns that both databases have: one of them may have the schema of an older version. */
async function updateUsers(replaced: pg.ClientBase, restored: pg.ClientBase): Promise<number> {
  const known = [await columnsOf(replaced, 'users'), await columnsOf(restored, 'users')]
  const columns = userColumns.filter((column) => known.every((names) => names.includes(column)))
  const list = (row: string) => columns.map((column) => `${row}.${column}`).join(', ')
  await restored.query('CREATE TEMP TABLE replaced_users ON COMMIT DROP AS SELECT * FROM users WITH NO DATA')
  const copied = ['id', ...columns].join(', ')
  await copyRows(replaced, `SELECT ${copied} FROM users`, restored, `replaced_users (${copied})`)
  return changed(
    restored,
    `UPDATE users u SET (${columns.join(', ')}) = ROW (${list('r')}) FROM replaced_users r
      WHERE r.id = u.id AND (${list('u')}) IS DISTINCT FROM (${list('r')})`,
  )
}

async function columnsOf(client: pg.ClientBase, table: string): Promise<string[]> {
  const { fields } = await client.query(`SELECT * FROM ${table} LIMIT 0`)
  return fields.map(({ name }) => name)
}

async function copyRows(from: pg.ClientBase, query: string, to: pg.ClientBase, table: string): Promise<void> {
  await pipeline(
    from.query(copyTo(`COPY (${query}) TO STDOUT`)),
    to.query(copyFrom(`COPY ${table} FROM STDIN`)),
  )
}

/** Includes the authentication methods that the secrets and keys belong to, and drops redirect URIs that were given up. */
const updatePartners = `
  UPDATE partners p SET status = r.status, redirect_uris = r.redirect_uris, auth_methods = r.auth_methods,
         secret_hashes = r.secret_hashes, jwks = r.jwks, key_thumbprints = r.key_thumbprints
    FROM replaced_partners r
   WHERE r.client_id = p.client_id
     AND (p.status, p.redirect_uris, p.auth_methods, p.secret_hashes, p.key_thumbprints)
         IS DISTINCT FROM (r.status, r.redirect_uris, r.auth_methods, r.secret_hashes, r.key_thumbprints)`

/** Applies the endings that are recorded in the database that the restored one replaces. */
export async function applyEndingsFromDatabase(
  replaced: pg.ClientBase,
  restored: pg.ClientBase,
): Promise<AppliedEndings> {
  for (const { table, query } of copiedRows) {
    await restored.query(`CREATE TEMP TABLE ${table} ON COMMIT DROP`)
    await copyRows(replaced, query, restored, table.slice(0, table.indexOf(' ')))
  }
  return {
    grants: await changed(restored, endGrants),
    connections: await changed(restored, endConnections),
    users: await updateUsers(replaced, restored),
    partners: await changed(restored, updatePartners),
  }
}

/** The log entries of endings. `time` is in milliseconds since the epoch. */
const Disconnected = Compile(
  Type.Object({
    event: Type.Literal('disconnect'),
    outcome: Type.Literal('disconnected'),
    time: Type.Number(),
    user_id: Type.String(),
    client_id: Type.String(),
  }),
)
const Revoked = Compile(Type.Object({ ended_connection: Type.String({ pattern: '^[0-9]{1,18}$' }) }))

/**
 * Applies the endings from the JSON lines of the server's log. The log must begin no later than the backup. Other lines are
 * ignored.
 * @throws {BackupError} when the file cannot be read
 */
export async function applyEndingsFromLog(restored: pg.ClientBase, file: string): Promise<AppliedEndings> {
  const applied = { ...nothingApplied }
  try {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      const entry = jsonOf(line)
      if (Disconnected.Check(entry)) {
        applied.grants += await changed(
          restored,
          `UPDATE grants SET revoked_at = to_timestamp($3 / 1000.0), revoked_by = 'user'
            WHERE user_id = $1 AND client_id = $2 AND revoked_at IS NULL AND created_at <= to_timestamp($3 / 1000.0)`,
          [entry.user_id, entry.client_id, entry.time],
        )
      } else if (Revoked.Check(entry)) {
        applied.connections += await changed(
          restored,
          `UPDATE connections SET revoked_at = now(), revoked_for = 'partner' WHERE id = $1 AND revoked_at IS NULL`,
          [entry.ended_connection],
        )
      }
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new BackupError(`The log ${file} cannot be read: ${error.message}`)
  }
  return applied
}

/** Ends every grant, for a restore without a source of endings. Every user must connect every app again. */
export async function endAllGrants(restored: pg.ClientBase): Promise<AppliedEndings> {
  const sql = `UPDATE grants SET revoked_at = now(), revoked_by = 'operator' WHERE revoked_at IS NULL`
  return { ...nothingApplied, grants: await changed(restored, sql) }
}

async function changed(client: pg.ClientBase, sql: string, values: unknown[] = []): Promise<number> {
  return (await client.query(sql, values)).rowCount ?? 0
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

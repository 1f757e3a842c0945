import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { endOfGrant, isLiveGrant } from '../grants/ended.sql.ts'

// A restore must not make valid again what ended after the backup (the endings): disconnected apps, revoked connections,
// disabled users, suspended partners, replaced passwords and secrets, removed second factors and identity providers, and
// operators and developers who were removed or disabled.

/** The number of rows that the endings changed in each table. */
export type AppliedEndings = { grants: number; connections: number; users: number; partners: number }

export const nothingApplied: AppliedEndings = { grants: 0, connections: 0, users: 0, partners: 0 }

/**
 * Each `query` reads rows of the replaced database. They are copied to the temporary `table` in the restored database.
 * @param hasLifetimes whether the grants of the replaced database have `expires_at`: an older schema does not
 */
const copiedRows = (hasLifetimes: boolean) => [
  {
    table:
      'replaced_grants (id bigint, user_id text, client_id text, revoked_at timestamptz, revoked_by text, revoked_for text)',
    query: hasLifetimes
      ? `SELECT id, user_id, client_id, ${endOfGrant('g')}, revoked_by, revoked_for FROM grants g WHERE NOT ${isLiveGrant('g')}`
      : 'SELECT id, user_id, client_id, revoked_at, revoked_by, revoked_for FROM grants WHERE revoked_at IS NOT NULL',
  },
  {
    table:
      'replaced_lifetimes (id bigint, user_id text, client_id text, expires_at timestamptz, end_notice_at timestamptz)',
    query: hasLifetimes
      ? `SELECT id, user_id, client_id, expires_at, end_notice_at FROM grants g WHERE expires_at IS NOT NULL AND ${isLiveGrant('g')}`
      : 'SELECT NULL, NULL, NULL, NULL, NULL WHERE false',
  },
  {
    table: 'replaced_connections (id bigint, code_hash bytea, revoked_at timestamptz, revoked_for text)',
    query: 'SELECT id, code_hash, revoked_at, revoked_for FROM connections WHERE revoked_at IS NOT NULL',
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

/** `latchkey grant apply-lifetime` may have moved the end of a grant. An end that was moved to later is not taken over. */
const shortenGrants = `
  UPDATE grants g SET expires_at = r.expires_at, end_notice_at = r.end_notice_at
    FROM replaced_lifetimes r
   WHERE r.id = g.id AND r.user_id = g.user_id AND r.client_id = g.client_id AND g.revoked_at IS NULL
     AND coalesce(r.expires_at < g.expires_at, true)`

const endConnections = `
  UPDATE connections c SET revoked_at = r.revoked_at,
         revoked_for = CASE WHEN r.revoked_for IN ('code_replayed', 'code_misused', 'refresh_replayed', 'partner')
                            THEN r.revoked_for END
    FROM replaced_connections r
   WHERE r.id = c.id AND r.code_hash = c.code_hash AND c.revoked_at IS NULL`

/** Partners that were deleted after the backup. Suspended, they can be deleted again, and a mistake can be undone. */
const suspendDeleted = `
  UPDATE partners p SET status = 'suspended'
   WHERE NOT EXISTS (SELECT FROM replaced_partners r WHERE r.client_id = p.client_id)`

/** A signing key that was removed because it leaked must not come back. */
const deleteRemovedKeys = `
  DELETE FROM signing_keys k WHERE EXISTS (SELECT FROM replaced_signing_keys)
     AND NOT EXISTS (SELECT FROM replaced_signing_keys r WHERE r.kid = k.kid)`

/** The columns that rows of the restored database take over. */
const updatedColumns = {
  /**
   * Includes the operator's mark: without it, the next import would make the user active again. Includes the digest: without
   * it, the next import would set an old password back. The handle belongs to the user's passkeys.
   */
  users: [
    'status',
    'password_hash',
    'imported_hash_digest',
    'login_version',
    'disabled_by_operator_at',
    'passkey_handle',
  ],
  /** Includes the authentication methods that the secrets and keys belong to, and drops redirect URIs that were given up. */
  partners: [
    'status',
    'redirect_uris',
    'auth_methods',
    'secret_hashes',
    'jwks',
    'key_thumbprints',
    'require_acr',
    'grant_lifetime_days',
  ],
  firms: ['local_passwords', 'require_acr'],
  roles: ['require_acr'],
}

/** `key` is the primary key. The rows that both databases have take over `columns`. */
async function updateRows(
  replaced: pg.ClientBase,
  restored: pg.ClientBase,
  { table, key, columns }: { table: string; key: string; columns: string[] },
): Promise<number> {
  const known = await copyTable(replaced, restored, { table, columns: [key, ...columns] })
  const updated = known.filter((column) => column !== key)
  if (updated.length === 0) return 0
  const list = (row: string) => updated.map((column) => `${row}.${column}`).join(', ')
  return changed(
    restored,
    `UPDATE ${table} t SET (${updated.join(', ')}) = ROW (${list('r')}) FROM replaced_${table} r
      WHERE r.${key} = t.${key} AND (${list('t')}) IS DISTINCT FROM (${list('r')})`,
  )
}

/** Of the users whom both databases have. A user whom the replaced database lacks keeps the rows of the backup. */
const ofUsers = 'EXISTS (SELECT FROM replaced_users u WHERE u.id = t.user_id)'
const ofRestoredUsers = `${ofUsers} AND EXISTS (SELECT FROM users u WHERE u.id = t.user_id)`

type ReplacedTable = { table: string; removed: string; inserted: string; order?: string }

/** An endpoint that was removed must get no events, and a signing secret that was replaced must sign none. */
const endpointTables: ReplacedTable[] = [
  {
    table: 'webhook_endpoints',
    removed: 'true',
    inserted: 'EXISTS (SELECT FROM partners p WHERE p.client_id = t.client_id)',
  },
  {
    table: 'webhook_secrets',
    removed: 'true',
    inserted: 'EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = t.endpoint_id)',
    order: 'created_at',
  },
]

/**
 * Tables whose rows are replaced: factors and providers that were removed, and recovery codes and TOTP codes that were used,
 * must not come back. The statements delete rows `t` that match `removed` and insert copied rows `t` that match `inserted`.
 *
 * All providers and links are replaced: another provider may have the id of one that was removed, and must not get its links.
 */
const replacedTables: ReplacedTable[] = [
  { table: 'identity_providers', removed: 'true', inserted: 'true' },
  { table: 'identity_provider_domains', removed: 'true', inserted: 'true' },
  { table: 'identities', removed: 'true', inserted: ofRestoredUsers },
  { table: 'passkeys', removed: ofUsers, inserted: ofRestoredUsers },
  { table: 'totp_secrets', removed: ofUsers, inserted: ofRestoredUsers },
  { table: 'recovery_codes', removed: ofUsers, inserted: ofRestoredUsers },
  ...tablesOfPeople('operator'),
  ...tablesOfPeople('developer'),
  {
    table: 'developer_memberships',
    removed: 'true',
    inserted: 'EXISTS (SELECT FROM partners p WHERE p.client_id = t.client_id)',
  },
]

/** All of them are replaced: one who was removed or disabled, or who replaced a password, must not get the old access back. */
function tablesOfPeople(kind: 'operator' | 'developer'): ReplacedTable[] {
  const tables = [`${kind}s`, `${kind}_totp_secrets`, `${kind}_recovery_codes`, `${kind}_identities`]
  return tables.map((table) => ({ table, removed: 'true', inserted: 'true' }))
}

/** As when the firm or role is deleted. */
const forgetUnknownFirms = `
  UPDATE replaced_identity_providers p SET creates_firm = NULL, creates_role = NULL
   WHERE NOT EXISTS (SELECT FROM firms WHERE id = p.creates_firm) OR NOT EXISTS (SELECT FROM roles WHERE name = p.creates_role)`

/** `replacedTables` need `replaced_users`. */
async function replaceRows(
  replaced: pg.ClientBase,
  restored: pg.ClientBase,
  tables: ReplacedTable[],
): Promise<void> {
  for (const { table, removed, inserted, order = '1' } of tables) {
    const columns = (await copyTable(replaced, restored, { table })).join(', ')
    if (columns === '') continue
    if (table === 'identity_providers') await restored.query(forgetUnknownFirms)
    await restored.query(`DELETE FROM ${table} t WHERE ${removed}`)
    await restored.query(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM replaced_${table} t WHERE ${inserted} ORDER BY ${order}`,
    )
  }
}

/**
 * Copies columns of a table to the temporary table `replaced_<table>`: those that both databases have, because one of them may
 * have the schema of an older version.
 * @param columns all columns if undefined
 * @returns the copied columns. If there are none, the temporary table does not exist.
 */
async function copyTable(
  replaced: pg.ClientBase,
  restored: pg.ClientBase,
  { table, columns }: { table: string; columns?: string[] },
): Promise<string[]> {
  const ofRestored = await columnsOf(restored, table)
  const ofBoth = (await columnsOf(replaced, table)).filter((column) => ofRestored.includes(column))
  const copied = ofBoth.filter((column) => columns?.includes(column) ?? true)
  if (copied.length === 0) return []
  const list = copied.join(', ')
  await restored.query(
    `CREATE TEMP TABLE replaced_${table} ON COMMIT DROP AS SELECT ${list} FROM ${table} WITH NO DATA`,
  )
  await copyRows(replaced, `SELECT ${list} FROM ${table}`, restored, `replaced_${table} (${list})`)
  return copied
}

/** The columns that can be written. None if there is no such table. */
async function columnsOf(client: pg.ClientBase, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
      WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity = ''`,
    [table],
  )
  return rows.map(({ name }) => name)
}

async function copyRows(from: pg.ClientBase, query: string, to: pg.ClientBase, table: string): Promise<void> {
  await pipeline(
    from.query(copyTo(`COPY (${query}) TO STDOUT`)),
    to.query(copyFrom(`COPY ${table} FROM STDIN`)),
  )
}

/** Applies the endings that are recorded in the database that the restored one replaces. */
export async function applyEndingsFromDatabase(
  replaced: pg.ClientBase,
  restored: pg.ClientBase,
): Promise<AppliedEndings> {
  const hasLifetimes = (await columnsOf(replaced, 'grants')).includes('expires_at')
  for (const { table, query } of copiedRows(hasLifetimes)) {
    await restored.query(`CREATE TEMP TABLE ${table} ON COMMIT DROP`)
    await copyRows(replaced, query, restored, table.slice(0, table.indexOf(' ')))
  }
  await replaceRows(replaced, restored, endpointTables) // before the endings, which write events for these endpoints
  const { users, partners, firms, roles } = updatedColumns
  const applied = {
    grants: await changed(restored, endGrants),
    connections: await changed(restored, endConnections),
    users: await updateRows(replaced, restored, { table: 'users', key: 'id', columns: users }),
    partners: await updateRows(replaced, restored, {
      table: 'partners',
      key: 'client_id',
      columns: partners,
    }),
  }
  applied.partners += await changed(restored, suspendDeleted)
  await copyTable(replaced, restored, { table: 'signing_keys', columns: ['kid'] })
  await restored.query(deleteRemovedKeys)
  if ((await columnsOf(restored, 'grants')).includes('expires_at')) await restored.query(shortenGrants)
  await updateRows(replaced, restored, { table: 'firms', key: 'id', columns: firms })
  await updateRows(replaced, restored, { table: 'roles', key: 'name', columns: roles })
  await replaceRows(replaced, restored, replacedTables)
  return applied
}

/** Ends every grant, for a restore without a source of endings. Every user must connect every app again. */
export async function endAllGrants(restored: pg.ClientBase): Promise<AppliedEndings> {
  const sql = `UPDATE grants SET revoked_at = now(), revoked_by = 'operator' WHERE revoked_at IS NULL`
  return { ...nothingApplied, grants: await changed(restored, sql) }
}

/** Runs a statement. @returns how many rows it changed */
export async function changed(client: pg.ClientBase, sql: string, values: unknown[] = []): Promise<number> {
  return (await client.query(sql, values)).rowCount ?? 0
}

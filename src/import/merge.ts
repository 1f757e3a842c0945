import type pg from 'pg'
import { hashPassword, verifyPassword } from '../directory/passwords.ts'
import Type, { Compile } from '../typebox.ts'
import type { Passwords } from './copy-rows.ts'
import { type ImportFile, tableColumns } from './files.ts'

/** Numbers of rows for one file. `removed` is present if the import removes rows that are not in the file. */
export type Counts = { added: number; changed: number; unchanged: number; removed?: number }

/**
 * Merges the staged rows into the table. Rows that are already equal are neither written nor locked. Two statements are
 * used, because one statement with ON CONFLICT would lock and therefore write every row. No other session can write
 * between the two, because the import holds the table's lock.
 */
export async function mergeFile(client: pg.ClientBase, file: ImportFile, instant: Date): Promise<Counts> {
  const staged = await client.query<{ rows: number }>(
    `SELECT count(*)::integer AS rows FROM staged_${file.table}`,
  )
  const changed = await update(client, file)
  const added = await insert(client, file, instant)
  return { added, changed, unchanged: (staged.rows[0]?.rows ?? 0) - added - changed }
}

async function update(client: pg.ClientBase, file: ImportFile): Promise<number> {
  const values = tableColumns(file).filter((column) => !file.key.includes(column))
  if (values.length === 0) return 0
  const list = (prefix: string) => values.map((column) => prefix + column).join(', ')
  const { rowCount } = await client.query(
    `UPDATE ${file.table} t SET (${list('')}) = ROW (${list('s.')})
       FROM staged_${file.table} s
      WHERE ${sameKey(file)} AND ROW (${list('t.')}) IS DISTINCT FROM ROW (${list('s.')})`,
  )
  return rowCount ?? 0
}

/** Inserts in the order of the primary key, so that the pages of its index are filled one after the other. */
async function insert(client: pg.ClientBase, file: ImportFile, instant: Date): Promise<number> {
  const staged = tableColumns(file)
  const { household } = file
  const into = [...staged, Object.keys(household?.values ?? {}), file.instant ?? []].flat()
  const values = [
    ...staged.map((column) => `s.${column}`),
    Object.values(household?.values ?? {}),
    file.instant ? '$1' : [],
  ]
  const { rowCount } = await client.query(
    `INSERT INTO ${file.table} (${into.join(', ')})
     SELECT ${values.flat().join(', ')}
       FROM staged_${file.table} s ${household?.join ?? ''}
      WHERE NOT EXISTS (SELECT FROM ${file.table} t WHERE ${sameKey(file)} ${household?.same ?? ''})
      ORDER BY ${household?.order ?? file.key.map((column) => `s.${column}`).join(', ')}`,
    file.instant ? [instant] : [],
  )
  return rowCount ?? 0
}

function sameKey(file: ImportFile): string {
  return file.key.map((column) => `t.${column} = s.${column}`).join(' AND ')
}

/** Passwords that are given to libuv's threads at a time. Each uses 19 MiB while it is hashed. */
const hashBatchSize = 32

const storedHashes = Compile(
  Type.Array(Type.Object({ line: Type.Integer(), hash: Type.Union([Type.String(), Type.Null()]) })),
)

/** Stages the hashes of the passwords. An unchanged password keeps its hash. Plain passwords never reach the database. */
export async function hashPasswords(
  client: pg.ClientBase,
  passwords: Passwords,
  onHashed: (count: number) => void,
): Promise<void> {
  const lines = [...passwords.keys()]
  for (let start = 0; start < lines.length; start += hashBatchSize) {
    const { rows } = await client.query(
      `SELECT s.line, u.password_hash AS hash FROM staged_users s LEFT JOIN users u USING (id)
        WHERE s.line = ANY ($1::integer[])`,
      [lines.slice(start, start + hashBatchSize)],
    )
    const hashed = await Promise.all(
      storedHashes.Parse(rows).map(async ({ line, hash }) => {
        const password = passwords.get(line) ?? ''
        const keep = hash !== null && (await verifyPassword(password, hash))
        return { line, hash: keep ? hash : await hashPassword(password) }
      }),
    )
    await client.query(
      `UPDATE staged_users s SET password_hash = hashed.hash
         FROM unnest($1::integer[], $2::text[]) AS hashed (line, hash) WHERE s.line = hashed.line`,
      [hashed.map(({ line }) => line), hashed.map(({ hash }) => hash)],
    )
    onHashed(start + hashed.length)
  }
}

/**
 * Users whom the operator disabled stay disabled, even if they are active in the file. Runs before the merge.
 * @returns the ids of these users, in order
 */
export async function keepDisabled(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `WITH kept AS (
       UPDATE staged_users s SET status = 'disabled'
         FROM users u WHERE u.id = s.id AND u.disabled_by_operator_at IS NOT NULL AND s.status = 'active'
       RETURNING s.id
     ) SELECT id FROM kept ORDER BY id`,
  )
  return rows.map(({ id }) => id)
}

/** Runs just before the merge. Only the merge of users needs it. */
export async function prepareUsers(client: pg.ClientBase): Promise<void> {
  for (const sql of [keepHashes, endSessions, newLoginVersions, freeEmails]) await client.query(sql)
}

/**
 * A user keeps the current password if the file has none, or the same hash as the last import. The stored hash may be another
 * one: a login replaced it, or the user changed the password. A password in plain text has no digest, and forgets the last one.
 */
const keepHashes = `
  UPDATE staged_users s
     SET password_hash = u.password_hash, imported_hash_digest = coalesce(s.imported_hash_digest, u.imported_hash_digest)
    FROM users u
   WHERE u.id = s.id AND (s.password_hash IS NULL OR s.imported_hash_digest = u.imported_hash_digest)`

/** Ends the sessions of disabled users and of users with a new password: an attacker who is logged in may be the reason. */
const endSessions = `
  DELETE FROM sessions USING staged_users s JOIN users u USING (id)
   WHERE sessions.user_id = u.id
     AND (s.status = 'disabled' OR s.password_hash IS DISTINCT FROM u.password_hash)`

const newLoginVersions = `
  UPDATE users u SET login_version = gen_random_uuid()
    FROM staged_users s WHERE s.id = u.id AND s.password_hash IS DISTINCT FROM u.password_hash`

/**
 * An address may move from one user to another, or two users may swap addresses, but PostgreSQL checks uniqueness row by
 * row. Therefore an address that another user will get is first replaced by a text that cannot be an address.
 */
const freeEmails = `
  UPDATE users u SET email_folded = E'\\n' || u.id
    FROM staged_users taker WHERE taker.email_folded = u.email_folded AND taker.id <> u.id`

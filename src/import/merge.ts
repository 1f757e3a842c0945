import type pg from 'pg'
import { hashPassword, verifyPassword } from '../directory/passwords.ts'
import Type, { Compile } from '../typebox.ts'
import type { Passwords } from './copy-rows.ts'
import { type ImportFile, tableColumns } from './files.ts'
import { type Staged, stagedName } from './staged.ts'

/** Numbers of rows for one file. `removed` is present if the import removes rows that are not in the file. */
export type Counts = { added: number; changed: number; unchanged: number; removed?: number }

/** Who changed a row last: an import, a change by API, or an operator. */
export type Source = 'import' | 'api' | 'operator'

/**
 * Merges the staged rows into the table. Rows that are already equal are neither written nor locked. Two statements are
 * used, because one statement with ON CONFLICT would lock and therefore write every row. No other session can write
 * between the two, because the import holds the table's lock.
 */
export async function mergeFile(
  staged: Staged,
  file: ImportFile,
  { instant, source }: { instant: Date; source: Source },
): Promise<Counts> {
  const { updates, inserts } = mergesOf(file)
  const [changed, added] = await Promise.all([
    updates ? staged.run(updates, [source]) : 0,
    staged.run(inserts, file.instant ? [source, instant] : [source]),
  ])
  return { added, changed, unchanged: staged.count(stagedName(file)) - added - changed }
}

type Merges = { updates: string | undefined; inserts: string }

/** The statements of a table: $1 source, $2 instant, for tables with one. */
function mergesOf(file: ImportFile): Merges {
  const known = merges.get(file.table)
  if (known) return known
  const made = { updates: update(file), inserts: insert(file) }
  merges.set(file.table, made)
  return made
}
const merges = new Map<string, Merges>()

function update(file: ImportFile): string | undefined {
  const values = tableColumns(file).filter((column) => !file.key.includes(column))
  if (values.length === 0) return undefined
  const list = (prefix: string) => values.map((column) => prefix + column).join(', ')
  return `UPDATE ${file.table} t SET (${list('')}, source) = ROW (${list('s.')}, $1::text)
            FROM ${rowsToStore(file)} s
           WHERE ${sameKey(file)} AND ROW (${list('t.')}) IS DISTINCT FROM ROW (${list('s.')})`
}

/** Inserts in the order of the primary key, so that the pages of its index are filled one after the other. */
function insert(file: ImportFile): string {
  const { household } = file
  const columns = tableColumns(file)
  const into = [columns, Object.keys(household?.values ?? {}), 'source', file.instant ?? []].flat()
  const values = [
    columns.map((column) => `s.${column}`),
    Object.values(household?.values ?? {}),
    '$1::text',
    file.instant ? '$2::timestamptz' : [],
  ]
  return `INSERT INTO ${file.table} (${into.join(', ')})
          SELECT ${values.flat().join(', ')}
            FROM ${rowsToStore(file)} s ${household?.join ?? ''}
           WHERE NOT EXISTS (SELECT FROM ${file.table} t WHERE ${sameKey(file)} ${household?.same ?? ''})
           ORDER BY ${household?.order ?? file.key.map((column) => `s.${column}`).join(', ')}`
}

function sameKey(file: ImportFile): string {
  return file.key.map((column) => `t.${column} = s.${column}`).join(' AND ')
}

function rowsToStore(file: ImportFile): string {
  return file.table === 'users' ? usersToStore : stagedName(file)
}

/**
 * The users as they are to be stored.
 *
 * - A user whom the operator disabled stays disabled, even if the staged row says `active`.
 * - A user keeps the current password if the row has none, or the same hash as the last import. The stored hash may be another
 *   one: a login replaced it, or the user changed the password. A password in plain text has no digest, and forgets the last
 *   one.
 */
const usersToStore = `(
  SELECT g.id, g.firm_id, g.email, g.email_folded, g.name, g.role,
         CASE WHEN u.disabled_by_operator_at IS NULL THEN g.status ELSE 'disabled' END AS status,
         CASE WHEN ${keepsPassword()} THEN u.password_hash ELSE g.password_hash END AS password_hash,
         CASE WHEN ${keepsPassword()} THEN coalesce(g.imported_hash_digest, u.imported_hash_digest)
              ELSE g.imported_hash_digest END AS imported_hash_digest
    FROM staged_users g LEFT JOIN users u ON u.id = g.id)`

function keepsPassword(): string {
  return '(g.password_hash IS NULL OR g.imported_hash_digest = u.imported_hash_digest)'
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
        return { line, hash: await keepOrHash(passwords.get(line) ?? '', hash) }
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

/** The hash to store for a password: the stored one if the password is unchanged. */
export async function keepOrHash(password: string, stored: string | null): Promise<string> {
  return stored !== null && (await verifyPassword(password, stored)) ? stored : hashPassword(password)
}

/**
 * Users who are active in the staged rows, and stay disabled because the operator disabled them.
 * @returns their ids, in order
 */
export async function findKeptDisabled(staged: Staged): Promise<string[]> {
  const rows = await staged.find(
    `SELECT u.id FROM staged_users s JOIN users u ON u.id = s.id
      WHERE u.disabled_by_operator_at IS NOT NULL AND s.status = 'active' ORDER BY u.id`,
  )
  return userIds.Parse(rows).map(({ id }) => id)
}

const userIds = Compile(Type.Array(Type.Object({ id: Type.String() })))

/** Runs just before the merge. Only the merge of users needs it. */
export async function prepareUsers(staged: Staged): Promise<void> {
  await Promise.all([endSessions, newLoginVersions, freeEmails].map((sql) => staged.run(sql)))
}

/** Ends the sessions of disabled users and of users with a new password: an attacker who is logged in may be the reason. */
const endSessions = `
  DELETE FROM sessions USING ${usersToStore} s JOIN users u USING (id)
   WHERE sessions.user_id = u.id
     AND (s.status = 'disabled' OR s.password_hash IS DISTINCT FROM u.password_hash)`

const newLoginVersions = `
  UPDATE users u SET login_version = gen_random_uuid()
    FROM ${usersToStore} s WHERE s.id = u.id AND s.password_hash IS DISTINCT FROM u.password_hash`

/**
 * An address may move from one user to another, or two users may swap addresses, but PostgreSQL checks uniqueness row by
 * row. Therefore an address that another user will get is first replaced by a text that cannot be an address.
 */
const freeEmails = `
  UPDATE users u SET email_folded = E'\\n' || u.id
    FROM staged_users taker WHERE taker.email_folded = u.email_folded AND taker.id <> u.id`

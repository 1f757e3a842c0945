import type pg from 'pg'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { hashPassword, verifyPassword } from '../directory/passwords.ts'
import type { Passwords } from './copy-rows.ts'
import { type ImportFile, tableColumns } from './files.ts'

/** Rows of one file; `removed` where rows that are not in it were to go. */
export type Counts = { added: number; changed: number; unchanged: number; removed?: number }

/**
 * Brings a table to what was staged for it. Rows that are equal already are left alone, not even locked.
 * Two statements and not one with ON CONFLICT, which would lock and therefore write every row. No other session can
 * write between the two, because the import holds the table's lock.
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

/** In the order of the primary key, so that its index is filled from left to right. */
async function insert(client: pg.ClientBase, file: ImportFile, instant: Date): Promise<number> {
  const staged = tableColumns(file)
  const { household } = file
  const into = [...staged, household ? 'household_id' : [], file.instant ?? []].flat()
  const values = [
    ...staged.map((column) => `s.${column}`),
    household ? household.value : [],
    file.instant ? '$1' : [],
  ]
  const { rowCount } = await client.query(
    `INSERT INTO ${file.table} (${into.join(', ')})
     SELECT ${values.flat().join(', ')}
       FROM staged_${file.table} s ${household?.join ?? ''}
      WHERE NOT EXISTS (SELECT FROM ${file.table} t WHERE ${sameKey(file)})
      ORDER BY ${household?.order ?? file.key.map((column) => `s.${column}`).join(', ')}`,
    file.instant ? [instant] : [],
  )
  return rowCount ?? 0
}

function sameKey(file: ImportFile): string {
  return file.key.map((column) => `t.${column} = s.${column}`).join(' AND ')
}

/** How many passwords are in the hands of libuv's threads at a time; each takes 19 MiB while it is worked on. */
const atOnce = 32

const known = Compile(
  Type.Array(Type.Object({ line: Type.Integer(), hash: Type.Union([Type.String(), Type.Null()]) })),
)

/** Stages the hashes of the passwords that aren't their user's already. Passwords themselves never reach the database. */
export async function hashPasswords(
  client: pg.ClientBase,
  passwords: Passwords,
  onHashed: (count: number) => void,
): Promise<void> {
  const lines = [...passwords.keys()]
  for (let start = 0; start < lines.length; start += atOnce) {
    const { rows } = await client.query(
      `SELECT s.line, u.password_hash AS hash FROM staged_users s LEFT JOIN users u USING (id)
        WHERE s.line = ANY ($1::integer[])`,
      [lines.slice(start, start + atOnce)],
    )
    const hashed = await Promise.all(
      known.Parse(rows).map(async ({ line, hash }) => {
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
 * Users whom the operator disabled stay disabled, even if the file has them as active. Runs before the merging.
 * @returns the ids of the users who are active in the file, in order
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

/** What the merging of the other tables doesn't need. To be done just before it. */
export async function prepareUsers(client: pg.ClientBase): Promise<void> {
  for (const sql of [keepHashes, endSessions, freeEmails]) await client.query(sql)
}

/** No password in the file: the user keeps the one there is. */
const keepHashes = `
  UPDATE staged_users s SET password_hash = u.password_hash
    FROM users u WHERE u.id = s.id AND s.password_hash IS NULL`

/** Of users who are disabled, and of those whose password changes: an attacker who is logged in may be the reason. */
const endSessions = `
  DELETE FROM sessions USING staged_users s JOIN users u USING (id)
   WHERE sessions.user_id = u.id
     AND (s.status = 'disabled' OR s.password_hash IS DISTINCT FROM u.password_hash)`

/**
 * An address may pass from one user to another, or two may swap theirs, and uniqueness is checked row by row. So an
 * address that another user is about to take is first replaced by a text that cannot be an address.
 */
const freeEmails = `
  UPDATE users u SET email_folded = E'\\n' || u.id
    FROM staged_users taker WHERE taker.email_folded = u.email_folded AND taker.id <> u.id`

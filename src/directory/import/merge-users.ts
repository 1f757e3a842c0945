import type pg from 'pg'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { hashPassword, verifyPassword } from '../passwords.ts'
import type { Passwords } from './copy-rows.ts'

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

/** What the merging of the other tables doesn't need. To be done just before it. */
export async function prepareUsers(client: pg.ClientBase): Promise<void> {
  for (const sql of [keepHashes, endSessions, freeEmails]) await client.query(sql)
}

/** No password in the file: the user keeps the one there is. */
const keepHashes = `
  UPDATE staged_users s SET password_hash = u.password_hash
    FROM users u WHERE u.id = s.id AND s.password_hash IS NULL`

/** Of users who are disabled, and of those whose password changes: whoever is logged in may be why it was changed. */
const endSessions = `
  DELETE FROM sessions USING staged_users s JOIN users u USING (id)
   WHERE sessions.user_id = u.id
     AND (s.status = 'disabled' OR s.password_hash IS DISTINCT FROM u.password_hash)`

/**
 * An address may pass from one user to another, or two may swap theirs, and uniqueness is checked row by row. So an
 * address that somebody else is about to take is given up first, for a text that is nobody's address.
 */
const freeEmails = `
  UPDATE users u SET email_folded = E'\\n' || u.id
    FROM staged_users taker WHERE taker.email_folded = u.email_folded AND taker.id <> u.id`

import type pg from 'pg'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { quoted } from '../directory/values.ts'
import type { Faults } from './faults.ts'
import { type ImportFile, importFiles } from './files.ts'

/** A row at fault, and how many there are in all: each query shows 20 at most. */
const found = Compile(
  Type.Array(
    Type.Object({
      line: Type.Integer(),
      value: Type.String(),
      other: Type.String(),
      total: Type.Integer(),
    }),
  ),
)

type Find = { column: string; sql: string; say(value: string, other: string): string }

/**
 * What can only be seen with all rows together: values given twice, and names of what doesn't exist. Of the tables
 * `pruned`, only what is in the files will.
 */
export async function checkStaged(client: pg.ClientBase, faults: Faults, pruned: string[]): Promise<void> {
  for (const file of importFiles) {
    for (const { column, sql, say } of finds(file, pruned)) {
      const rows = found.Parse((await client.query(sql)).rows)
      for (const { line, value, other } of rows) faults.add(file.file, line, column, say(value, other))
      faults.count((rows[0]?.total ?? 0) - rows.length)
    }
  }
}

function finds(file: ImportFile, pruned: string[]): Find[] {
  const references = file.columns.flatMap(({ name, references: to }) =>
    to
      ? {
          column: name,
          sql: unknown(file.table, name, to, pruned.includes(to.table)),
          say: (value: string) => `there is no ${to.noun} ${quoted(value)}`,
        }
      : [],
  )
  const duplicates = {
    column: file.key.at(-1) ?? '',
    sql: duplicated(file.table, file.key),
    say: (value: string, line: string) => `${quoted(value)} is already on line ${line}`,
  }
  const taken = pruned.includes('users') ? [] : [emailTaken]
  return [duplicates, ...(file.table === 'users' ? [emailTwice, ...taken] : []), ...references]
}

const emailTwice: Find = {
  column: 'email',
  sql: duplicated('users', ['email_folded'], 'email'),
  say: (value, line) => `${quoted(value)} is already on line ${line}`,
}

const emailTaken: Find = {
  column: 'email',
  sql: `SELECT s.line, s.email AS value, u.id AS other, count(*) OVER ()::integer AS total
          FROM staged_users s JOIN users u USING (email_folded)
         WHERE NOT EXISTS (SELECT FROM staged_users changed WHERE changed.id = u.id)
         ORDER BY s.line LIMIT 20`,
  say: (value, user) => `${quoted(value)} belongs to the user ${quoted(user)}`,
}

/** Rows whose `column` names nothing of this import nor, unless all else goes there, of the database. */
function unknown(table: string, column: string, to: { table: string; key: string }, pruned: boolean): string {
  const kept = pruned ? '' : `AND NOT EXISTS (SELECT FROM ${to.table} t WHERE t.${to.key} = s.${column})`
  return `SELECT s.line, s.${column} AS value, '' AS other, count(*) OVER ()::integer AS total
            FROM staged_${table} s
           WHERE NOT EXISTS (SELECT FROM staged_${to.table} t WHERE t.${to.key} = s.${column})
             ${kept}
           ORDER BY s.line LIMIT 20`
}

/** Rows that have the key of an earlier one; `other` is the line of the first. */
function duplicated(table: string, key: string[], shown = key.join(` || ' ' || `)): string {
  const columns = key.join(', ')
  return `SELECT line, ${shown} AS value, first::text AS other, count(*) OVER ()::integer AS total
            FROM staged_${table}
            JOIN (SELECT ${columns}, min(line) AS first FROM staged_${table} GROUP BY ${columns} HAVING count(*) > 1) twice
           USING (${columns})
           WHERE line > first ORDER BY line LIMIT 20`
}

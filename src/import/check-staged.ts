import type pg from 'pg'
import Type, { Compile } from '../typebox.ts'
import { quoted } from '../visible-text.ts'
import type { Faults } from './faults.ts'
import { type ImportFile, importFiles } from './files.ts'

/** An invalid row, and the total number of invalid rows. Each query returns at most 20 rows. */
const invalidRows = Compile(
  Type.Array(
    Type.Object({
      line: Type.Integer(),
      value: Type.String(),
      other: Type.String(),
      total: Type.Integer(),
    }),
  ),
)

export type StagedCheck = { column: string; sql: string; message(value: string, other: string): string }

/**
 * Checks that need all rows: duplicate values and references to rows that do not exist. In the tables `pruned`, only the
 * rows of the files count, because the import removes all other rows. `furtherChecks` are those that the caller adds for a file.
 */
export async function checkStaged(
  client: pg.ClientBase,
  faults: Faults,
  { pruned, furtherChecks }: { pruned: string[]; furtherChecks(file: ImportFile): StagedCheck[] },
): Promise<void> {
  for (const file of importFiles) {
    for (const { column, sql, message } of [...checksOf(file, pruned), ...furtherChecks(file)]) {
      const rows = invalidRows.Parse((await client.query(sql)).rows)
      for (const { line, value, other } of rows) faults.add(file.file, line, column, message(value, other))
      faults.count((rows[0]?.total ?? 0) - rows.length)
    }
  }
}

function checksOf(file: ImportFile, pruned: string[]): StagedCheck[] {
  const references = file.columns.flatMap(({ name, references: to }) =>
    to
      ? {
          column: name,
          sql: missingReferences(file.table, name, to, pruned.includes(to.table)),
          message: (value: string) => `there is no ${to.noun} ${quoted(value)}`,
        }
      : [],
  )
  const duplicates = {
    column: file.key.at(-1) ?? '',
    sql: duplicateRows(file.table, file.key),
    message: (value: string, line: string) => `${quoted(value)} is already on line ${line}`,
  }
  const taken = pruned.includes('users') ? [] : [emailTaken]
  return [duplicates, ...(file.table === 'users' ? [duplicateEmail, ...taken] : []), ...references]
}

const duplicateEmail: StagedCheck = {
  column: 'email',
  sql: duplicateRows('users', ['email_folded'], 'email'),
  message: (value, line) => `${quoted(value)} is already on line ${line}`,
}

const emailTaken: StagedCheck = {
  column: 'email',
  sql: `SELECT s.line, s.email AS value, u.id AS other, count(*) OVER ()::integer AS total
          FROM staged_users s JOIN users u USING (email_folded)
         WHERE NOT EXISTS (SELECT FROM staged_users changed WHERE changed.id = u.id)
         ORDER BY s.line LIMIT 20`,
  message: (value, user) => `${quoted(value)} belongs to the user ${quoted(user)}`,
}

/** Rows whose `column` refers to no row of this import and to no stored row. If `pruned`, stored rows do not count. */
function missingReferences(
  table: string,
  column: string,
  to: { table: string; key: string },
  pruned: boolean,
): string {
  const kept = pruned ? '' : `AND NOT EXISTS (SELECT FROM ${to.table} t WHERE t.${to.key} = s.${column})`
  return `SELECT s.line, s.${column} AS value, '' AS other, count(*) OVER ()::integer AS total
            FROM staged_${table} s
           WHERE NOT EXISTS (SELECT FROM staged_${to.table} t WHERE t.${to.key} = s.${column})
             ${kept}
           ORDER BY s.line LIMIT 20`
}

/** Rows that have the same key as an earlier row. `other` is the line of the first row with this key. */
function duplicateRows(table: string, key: string[], shown = key.join(` || ' ' || `)): string {
  const columns = key.join(', ')
  return `SELECT line, ${shown} AS value, first::text AS other, count(*) OVER ()::integer AS total
            FROM staged_${table}
            JOIN (SELECT ${columns}, min(line) AS first FROM staged_${table} GROUP BY ${columns} HAVING count(*) > 1) twice
           USING (${columns})
           WHERE line > first ORDER BY line LIMIT 20`
}

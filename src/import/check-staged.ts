import Type, { Compile } from '../typebox.ts'
import { quoted } from '../visible-text.ts'
import { type ImportFile, importFiles } from './files.ts'
import { removedName, type Staged, stagedName } from './staged.ts'

/** An invalid row, and the total number of invalid rows. */
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

/** `sql`: $1 the number of rows that it returns at most. */
export type StagedCheck = { column: string; sql: string; message(value: string, other: string): string }

/** Where checks report faults. `count` is for faults beyond those that are named. */
export type FaultSink = {
  /** Each check names this many rows at most. */
  readonly namedAtMost: number
  add(file: ImportFile, line: number, column: string, what: string): void
  count(unnamed: number): void
}

/** Checks that need all rows. `checksOf` are the checks of the rows of a file. */
export async function checkStaged(
  staged: Staged,
  faults: FaultSink,
  checksOf: (file: ImportFile) => StagedCheck[],
): Promise<void> {
  const files = importFiles.filter((file) => staged.count(stagedName(file)) > 0)
  const found = await Promise.all(
    files.flatMap((file) =>
      checksOf(file).map(async (check) => {
        const rows = invalidRows.Parse(await staged.query(check.sql, [faults.namedAtMost]))
        return { file, check, rows }
      }),
    ),
  )
  for (const { file, check, rows } of found) {
    for (const { line, value, other } of rows)
      faults.add(file, line, check.column, check.message(value, other))
    faults.count((rows[0]?.total ?? 0) - rows.length)
  }
}

/** Rows of one file that have the same key or, for users, the same address. */
export function duplicateChecks(file: ImportFile): StagedCheck[] {
  const duplicates = {
    column: file.key.at(-1) ?? '',
    sql: duplicateRows(file.table, file.key),
    message: (value: string, line: string) => `${quoted(value)} is already on line ${line}`,
  }
  return file.table === 'users' ? [duplicates, duplicateEmail] : [duplicates]
}

/** References to rows that do not exist or are removed, and addresses of other users. */
export function storedChecks({ table }: ImportFile): StagedCheck[] {
  return checksByTable.get(table) ?? []
}

function referenceChecks(file: ImportFile): StagedCheck[] {
  const references = file.columns.flatMap(({ name, references: to }) =>
    to
      ? {
          column: name,
          sql: missingReferences(file.table, name, to),
          message: (value: string) => `there is no ${to.noun} ${quoted(value)}`,
        }
      : [],
  )
  return [...(file.table === 'users' ? [emailTaken] : []), ...references]
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
           AND NOT EXISTS (SELECT FROM removed_users gone WHERE gone.id = u.id)
         ORDER BY s.line LIMIT $1`,
  message: (value, user) => `${quoted(value)} belongs to the user ${quoted(user)}`,
}

/** Rows whose `column` refers to no staged row, and to no stored row or one that is removed. */
function missingReferences(table: string, column: string, to: { table: string; key: string }): string {
  const staged = `staged_${table} s
            WHERE NOT EXISTS (SELECT FROM ${stagedName(to)} t WHERE t.${to.key} = s.${column})`
  return `SELECT line, value, '' AS other, count(*) OVER ()::integer AS total
            FROM (SELECT s.line, s.${column} AS value FROM ${staged} AND s.${column} IS NOT NULL
                     AND NOT EXISTS (SELECT FROM ${to.table} t WHERE t.${to.key} = s.${column})
                   UNION ALL
                  SELECT s.line, s.${column} FROM ${staged}
                     AND EXISTS (SELECT FROM ${removedName(to)} gone WHERE gone.${to.key} = s.${column})) AS missing
           ORDER BY line LIMIT $1`
}

/** Rows that have the same key as an earlier row. `other` is the line of the first row with this key. */
function duplicateRows(table: string, key: string[], shown = key.join(` || ' ' || `)): string {
  const columns = key.join(', ')
  return `SELECT line, ${shown} AS value, first::text AS other, count(*) OVER ()::integer AS total
            FROM staged_${table}
            JOIN (SELECT ${columns}, min(line) AS first FROM staged_${table} GROUP BY ${columns} HAVING count(*) > 1) twice
           USING (${columns})
           WHERE line > first ORDER BY line LIMIT $1`
}

const checksByTable = new Map(importFiles.map((file) => [file.table, referenceChecks(file)]))

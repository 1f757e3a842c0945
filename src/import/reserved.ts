import pg from 'pg'
import { quoted } from '../visible-text.ts'
import type { StagedCheck } from './check-staged.ts'
import { type ImportFile, importFiles } from './files.ts'

/**
 * Rows that an import leaves alone: these firms with all that belongs to them, and these roles. `owner` names who fills them.
 */
export type Reserved = { firms: string[]; roles: string[]; owner: string }

/** SQL: whether `key` is the key of a reserved row of the table. It may be the key of a row that does not exist yet. */
function isReservedKey({ firms, roles }: Reserved, table: string, key: string): string {
  const isOneOf = (value: string, ids: string[]) =>
    `${value} IN (${ids.map((id) => pg.escapeLiteral(id)).join(', ')})`
  switch (table) {
    case 'firms':
      return isOneOf(key, firms)
    case 'roles':
      return isOneOf(key, roles)
    case 'accounts':
      return `EXISTS (SELECT FROM accounts o JOIN households oh ON oh.id = o.household_id WHERE o.id = ${key} AND ${isOneOf('oh.firm_id', firms)})`
    default:
      return `EXISTS (SELECT FROM ${table} o WHERE o.id = ${key} AND ${isOneOf('o.firm_id', firms)})`
  }
}

/** SQL: whether the stored row `t` of the file's table is reserved. Access rows belong to their user. */
export function isReservedRow(reserved: Reserved, { table, key: [first = ''] }: ImportFile): string {
  return isReservedKey(reserved, table === 'account_access' ? 'users' : table, `t.${first}`)
}

/** Refuses rows that are reserved or refer to a reserved row. */
export function reservedChecks(reserved: Reserved, file: ImportFile): StagedCheck[] {
  const own = importFiles
    .filter(({ table, key }) => table === file.table && key.length === 1)
    .map(({ table, key: [name = ''] }) => ({ name, table }))
  const referred = file.columns.flatMap(({ name, references }) =>
    references ? [{ name, table: references.table }] : [],
  )
  return [...own, ...referred].map(({ name, table }) =>
    reservedCheck(reserved, file, name, isReservedKey(reserved, table, `s.${name}`)),
  )
}

function reservedCheck(
  { owner }: Reserved,
  file: ImportFile,
  column: string,
  condition: string,
): StagedCheck {
  return {
    column,
    sql: `SELECT s.line, s.${column} AS value, '' AS other, count(*) OVER ()::integer AS total
            FROM staged_${file.table} s WHERE ${condition} ORDER BY s.line LIMIT $1`,
    message: (value) => belongsTo(value, owner),
  }
}

export function belongsTo(value: string, owner: string): string {
  return `${quoted(value)} belongs to ${owner}, and imports leave it alone`
}

import pg from 'pg'
import { quoted } from '../visible-text.ts'
import type { StagedCheck } from './check-staged.ts'
import { type ImportFile, importFiles } from './files.ts'

/** Rows that an import leaves alone: these firms with all that belongs to them, and these roles. `owner` names who fills them. */
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

/**
 * Refuses rows that are reserved or refer to a reserved row. If the users are pruned, an address of another user is free,
 * except that of a reserved user.
 */
export function reservedChecks(reserved: Reserved, file: ImportFile, pruned: string[]): StagedCheck[] {
  const own = importFiles
    .filter(({ table, key }) => table === file.table && key.length === 1)
    .map(({ table, key: [name = ''] }) => ({ name, table }))
  const referred = file.columns.flatMap(({ name, references }) =>
    references ? [{ name, table: references.table }] : [],
  )
  const checks = [...own, ...referred].map(({ name, table }) =>
    reservedCheck(reserved, file, name, isReservedKey(reserved, table, `s.${name}`)),
  )
  if (file.table !== 'users' || !pruned.includes('users')) return checks
  const isTaken = isReservedKey(
    reserved,
    'users',
    '(SELECT id FROM users u WHERE u.email_folded = s.email_folded)',
  )
  return [...checks, reservedCheck(reserved, file, 'email', isTaken)]
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
            FROM staged_${file.table} s WHERE ${condition} ORDER BY s.line LIMIT 20`,
    message: (value) => `${quoted(value)} belongs to ${owner}, and imports leave it alone`,
  }
}

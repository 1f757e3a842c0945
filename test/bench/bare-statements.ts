import { firm, type Reader, readers } from './data.ts'
import type { Statement } from './peers/bare-sql.ts'

/**
 * The first households that a user sees, without authentication, as an application would read them: one prepared statement
 * for all users of a role, planned by PostgreSQL with its default settings.
 */
export function householdsOf(reader: Reader, count: number): Statement {
  if (reader === 'firm') return plannedFor(reader, count)
  return { name: `of_user_${count}`, text: granted('$1', count), values: [readers[reader].id] }
}

/** The same for one user only: the user's id is in the text, so PostgreSQL plans the statement once, for this user. */
export function plannedFor(reader: Reader, count: number): Statement {
  const name = `${reader}_${count}`
  if (reader !== 'firm') return { name, text: granted(`'${readers[reader].id}'`, count) }
  return {
    name,
    text: `SELECT id, name FROM households WHERE firm_id = '${firm}' ORDER BY id LIMIT ${count}`,
  }
}

/**
 * The access rows come in the order of the index. PostgreSQL looks up each household, or merges with the households if the
 * user sees most of them. `id IN (SELECT …)` would make it read a third of all households for a user who sees few.
 */
function granted(user: string, count: number): string {
  return `
    SELECT h.id, h.name
      FROM (SELECT DISTINCT household_id FROM account_access WHERE user_id = ${user}) AS x
      JOIN households h ON h.id = x.household_id
     WHERE h.firm_id = '${firm}' ORDER BY x.household_id LIMIT ${count}`
}

/** The first active accounts that a user sees, by household, likewise one statement for all users of a role. */
export function accountsOf(reader: Reader, count: number): Statement {
  const columns = `a.id, a.household_id, a.name, a.type, a.number_masked, a.custodian, a.currency, a.status, a.opened_on::text`
  if (reader === 'firm') {
    return {
      name: `accounts_of_firm_${count}`,
      text: `SELECT ${columns} FROM households h JOIN accounts a ON a.household_id = h.id
              WHERE h.firm_id = '${firm}' AND a.status = 'active' ORDER BY h.id, a.id LIMIT ${count}`,
    }
  }
  return {
    name: `accounts_of_user_${count}`,
    text: `SELECT ${columns} FROM account_access x JOIN accounts a ON a.household_id = x.household_id AND a.id = x.account_id
            WHERE x.user_id = $1 AND x.firm_id = '${firm}' AND a.status = 'active'
            ORDER BY x.household_id, x.account_id LIMIT ${count}`,
    values: [readers[reader].id],
  }
}

import { firm, type Reader, readers } from './data.ts'
import type { Statement } from './peers/bare-sql.ts'

/**
 * The first households that a user sees, without authentication. The values are in the SQL text, so PostgreSQL plans the
 * statement once, for this user.
 */
export function firstHouseholds(reader: Reader, count: number): Statement {
  const access = `
    AND id IN (SELECT x.household_id FROM account_access x JOIN accounts a ON a.id = x.account_id
                WHERE x.user_id = '${readers[reader].id}')`
  const text = `
    SELECT id, name FROM households WHERE firm_id = '${firm}' ${reader === 'firm' ? '' : access}
     ORDER BY id LIMIT ${count}`
  return { name: `${reader}_${count}`, text }
}

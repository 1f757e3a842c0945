import { setTimeout as sleep } from 'node:timers/promises'
import { chainRows } from '../../src/audit/chain.ts'
import type { Database } from '../../src/database/database.ts'
import { query } from './database.ts'

const unchained =
  'SELECT FROM audit_log a WHERE NOT EXISTS (SELECT FROM audit_chain c WHERE c.audit_id = a.id) LIMIT 1'

/** Chains all rows. Transactions of other tests in the same cluster may delay it. */
export async function chainAll(database: Database, owner = database): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    await chainRows(database)
    if ((await query(owner, unchained)).length === 0) return
    await sleep(50)
  }
  throw new Error('rows of the audit log stay unchained')
}

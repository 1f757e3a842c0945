import { type Database, queriesOn } from '../database/database.ts'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import { removedPlaces, signRemoval } from './removals.ts'
import { isRemovalDue, keepAuditLog, planRemoval } from './retention.sql.ts'

/**
 * Makes the partitions of the next months, and removes rows that are older than `months`; 0: none. The record of it is signed:
 * only that excuses missing rows. @returns how many rows were removed
 */
export async function applyRetention(database: Database, keys: SecretKeys, months: number): Promise<number> {
  await database.one(keepAuditLog, [0, null])
  if (months === 0 || !(await database.one(isRemovalDue, [months])).due) return 0
  // On a connection without a time limit: a month may have very many rows.
  return database.withConnection(async (client) => {
    const queries = queriesOn(client)
    const before = await removedPlaces(queries, keys)
    const plan = await queries.maybe(planRemoval, [months, before.toString()])
    const removal = plan && signRemoval(keys, plan)
    if (!removal) return 0
    return (await queries.one(keepAuditLog, [months, JSON.stringify(removal)])).removed
  })
}

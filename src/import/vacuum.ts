import pg from 'pg'
import { importFiles } from './files.ts'
import type { Counts } from './merge.ts'

/**
 * Runs VACUUM now instead of waiting minutes for autovacuum. Before VACUUM, each page reads the tables in addition to the
 * indexes, and each search reads the pending list of the GIN index. VACUUM does not block readers or writers.
 * @returns why VACUUM failed, or null
 */
export async function vacuum(client: pg.ClientBase, files: Record<string, Counts>): Promise<string | null> {
  const changed = importFiles.filter(({ file }) => {
    const { added = 0, changed = 0, removed = 0 } = files[file] ?? {}
    return added + changed + removed > 0
  })
  if (changed.length === 0) return null
  const tables = new Set(changed.map(({ table }) => table))
  for (const written of [
    'firms',
    'households',
    'account_access',
    'household_changes',
    'access_changes',
    'account_changes',
    'account_access_changes',
    'listing_ranges',
  ])
    tables.add(written)
  // Without the privilege for a table, VACUUM does not fail but warns and skips the table.
  const warnings: string[] = []
  client.on('notice', ({ severity, message }) => {
    if (severity === 'WARNING') warnings.push(message ?? severity)
  })
  try {
    await client.query(`SET lock_timeout = '60s'`)
    await client.query(`VACUUM (ANALYZE) ${[...tables].join(', ')}`)
    return warnings[0] ?? null
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error.message
    throw error
  }
}

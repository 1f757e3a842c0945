import pg from 'pg'
import { importFiles } from './files.ts'
import type { Counts } from './merge.ts'

/**
 * What autovacuum would do within minutes, done now: until it is, each page reads the tables beside the indexes, each
 * search the list of what the index has not taken in yet. Readers and writers go on meanwhile.
 * @returns why it could not be done, or null
 */
export async function settle(client: pg.ClientBase, files: Record<string, Counts>): Promise<string | null> {
  const changed = importFiles.filter(({ file }) => {
    const { added = 0, changed = 0, removed = 0 } = files[file] ?? {}
    return added + changed + removed > 0
  })
  if (changed.length === 0) return null
  const tables = new Set(changed.map(({ table }) => table))
  for (const written of ['firms', 'households', 'account_access', 'household_changes', 'access_changes'])
    tables.add(written)
  // Without the right to, PostgreSQL does not fail but warns and skips the table.
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

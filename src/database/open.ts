import type { Config } from '../config.ts'
import { type Database, openPool } from './database.ts'
import { openEmbedded } from './embedded/embedded.ts'
import { migrate } from './migrate.ts'

/** The configured database, its schema up to date. `close` leaves the embedded PostgreSQL as well. */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  as: 'server' | 'command',
  onError: (error: Error) => void,
): Promise<Database> {
  const embedded = config.databaseUrl ? undefined : await openEmbedded({ dataDir: config.dataDir, as })
  const pool = openPool(embedded?.url ?? config.databaseUrl ?? '', onError)
  const database: Database = {
    ...pool,
    async close() {
      await pool.close()
      await embedded?.leave()
    },
  }
  try {
    await migrate(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

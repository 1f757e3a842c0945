import type { Config } from '../config.ts'
import { type Database, openPool } from './database.ts'
import { openEmbedded } from './embedded/embedded.ts'
import { migrate } from './migrate.ts'

type Place = Pick<Config, 'databaseUrl' | 'dataDir'>
type OnError = (error: Error) => void

/** The configured database as it is. `close` leaves the embedded PostgreSQL as well. */
export async function connectDatabase(
  config: Place,
  as: 'server' | 'command',
  onError: OnError,
): Promise<Database> {
  const embedded = config.databaseUrl ? undefined : await openEmbedded({ dataDir: config.dataDir, as })
  const pool = openPool(embedded?.url ?? config.databaseUrl ?? '', onError)
  return {
    ...pool,
    async close() {
      await pool.close()
      await embedded?.leave()
    },
  }
}

/** The configured database, its schema up to date. */
export async function openDatabase(
  config: Place,
  as: 'server' | 'command',
  onError: OnError,
): Promise<Database> {
  const database = await connectDatabase(config, as, onError)
  try {
    await migrate(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

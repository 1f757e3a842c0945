import { type Database, openPool } from '../../src/database/database.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { type DatabaseProxy, databaseProxy } from './database-proxy.ts'

export type InterruptibleDatabase = TestDatabase &
  Pick<DatabaseProxy, 'silence' | 'cut' | 'heal'> & {
    /** Connects without the proxy. */
    direct: Database
  }

/** A separate database behind a proxy, so that tests can interrupt it. */
export async function interruptibleDatabase(): Promise<InterruptibleDatabase> {
  const own = await testDatabase()
  const { url, silence, cut, heal, listening } = await databaseProxy(own.url)
  const database = openPool(url, () => {})
  return {
    url,
    database,
    direct: own.database,
    silence,
    cut,
    heal,
    async drop() {
      if (listening()) await cut() // a silent connection would not end
      await database.close()
      await own.drop()
    },
  }
}

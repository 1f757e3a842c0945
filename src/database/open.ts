import type { Environment } from '../environment.ts'
import { type Database, openPool } from './database.ts'
import { checkEnvironment, recordEnvironment } from './deployment.ts'
import { openEmbedded } from './embedded/embedded.ts'
import { grantToServer } from './grants.ts'
import { explainSchema, MigrationError, migrate, readSchema } from './migrate.ts'

type Place = { databaseUrl?: string; migrationUrl?: string; dataDir: string }
type Deployment = Place & { environment: Environment }
type OnError = (error: Error) => void

/** Connects to the configured database and changes nothing. `close` also disconnects from the embedded PostgreSQL. */
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

/**
 * Opens the configured database. It must belong to this environment. A server applies pending migrations. A command only
 * compares the schema. Exception: it also migrates an embedded database without a schema, which has no data yet
 * (docs/upgrade.md).
 * @param check runs before anything is changed
 * @throws {MigrationError} when the schema does not fit, {WrongEnvironment} when the database belongs to the other environment
 */
export async function openDatabase(
  config: Deployment,
  as: 'server' | 'command',
  onError: OnError,
  check: (database: Database) => Promise<void> = async () => {},
): Promise<Database> {
  const database = await connectDatabase(config, as, onError)
  try {
    await check(database)
    if (as === 'server') await migrateAsOwner(database, config, onError)
    else await requireSchema(database, config)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * Migrates as the owner of the tables, if there is one (`DATABASE_MIGRATION_URL`). Then the server's role gets its rights.
 * @returns the names of the migrations applied now
 */
export async function migrateAsOwner(
  database: Database,
  config: Deployment,
  onError: OnError,
): Promise<string[]> {
  if (!config.migrationUrl) return migrateDeployment(database, config)
  const owner = openPool(config.migrationUrl, onError)
  try {
    const applied = await migrateDeployment(owner, config)
    await grantToServer(owner, database)
    return applied
  } finally {
    await owner.close()
  }
}

/** @returns the names of the migrations applied now */
export async function migrateDeployment(
  database: Database,
  { environment }: { environment: Environment },
): Promise<string[]> {
  await database.withConnection((client) => checkEnvironment(client, environment))
  const applied = await migrate(database)
  await database.withConnection((client) => recordEnvironment(client, environment))
  return applied
}

async function requireSchema(database: Database, config: Deployment): Promise<void> {
  const state = await database.withConnection(async (client) => {
    await checkEnvironment(client, config.environment)
    const found = await readSchema(client)
    if (found.kind === 'current') await recordEnvironment(client, config.environment)
    return found
  })
  if (state.kind === 'current') return
  if (state.kind === 'outdated' || config.databaseUrl) throw new MigrationError(explainSchema(state))
  await migrateDeployment(database, config)
}

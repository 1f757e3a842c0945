import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openPool } from '../../src/database/database.ts'
import { openEmbedded } from '../../src/database/embedded/embedded.ts'
import { migrate } from '../../src/database/migrate.ts'
import type { StoredKeyPair } from '../../src/keys/signing-keys.ts'
import { makeSigningKeys } from './server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL server that all test files share. Each file creates its own databases on it. */
    postgresUrl: string
    /** A directory that is removed after the run. The tests' `tmpdir()`. */
    scratch: string
    /** One key pair for each algorithm, for all servers with the shared test secret. */
    signingKeys: StoredKeyPair[]
  }
}

/** Starts one real PostgreSQL for the run, with the migrated database that each test file clones. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(inMemory() ?? tmpdir(), 'latchkey-test-'))
  process.env.TMPDIR = dataDir // the workers inherit it
  // Nothing has to survive the run. Without autovacuum, PostgreSQL leaves the processors to the tests.
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    wal_level: 'minimal',
    max_wal_senders: '0',
    autovacuum: 'off',
    max_connections: '300',
  }
  const postgres = await openEmbedded({ dataDir, as: 'server', settings })
  const template = openPool(postgres.url, () => {})
  await migrate(template)
  const { password } = new URL(postgres.url)
  await template.withConnection((client) => cheapenConnections(client, decodeURIComponent(password)))
  await template.close()
  project.provide('postgresUrl', postgres.url)
  project.provide('scratch', dataDir)
  project.provide('signingKeys', await makeSigningKeys())
  return async () => {
    await postgres.leave()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Each test database means several new connections, and a password that is checked at full cost takes longest in each. */
async function cheapenConnections(client: pg.Client, password: string): Promise<void> {
  await client.query('SET scram_iterations = 1')
  await client.query(`ALTER ROLE latchkey PASSWORD ${client.escapeLiteral(password)}`)
}

/** Linux's directory in memory, if it has room. The run makes hundreds of thousands of files, which are slow on a disk. */
function inMemory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 2 ** 32 ? '/dev/shm' : undefined
  } catch {
    return undefined // not Linux
  }
}

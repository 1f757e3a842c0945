import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { ExplainedError } from '../../explained-error.ts'
import { isUnavailable } from '../database.ts'
import { Cluster } from './cluster.ts'

/** Advisory locks: every process that uses the embedded PostgreSQL shares the first, one server holds the second. */
const usersLock = 4_710_001
const serverLock = 4_710_002

export type EmbeddedOptions = {
  dataDir: string
  /** Only one server may use a data directory. Commands may use it at the same time. */
  as: 'server' | 'command'
  /** PostgreSQL settings, `name: value`. */
  settings?: Record<string, string>
}

export type EmbeddedPostgres = {
  /** Connection string with the password. Never log it. */
  url: string
  /** Disconnects. The last process that disconnects stops PostgreSQL. */
  leave(): Promise<void>
}

class DataDirectoryInUse extends ExplainedError {}

/**
 * Opens the PostgreSQL in `dataDir`. Creates it if it is missing and starts it if it is not running. It may already run
 * for another command, or because a server was killed. If PostgreSQL dies, it is started again on the same port.
 * @throws {DataDirectoryInUse} if another server uses the directory
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const cluster = new Cluster(resolve(options.dataDir), options.settings ?? {})
  let lockClient = await enter(cluster, options.as)
  let rejoining: Promise<void> | undefined
  let leaving = false

  const rejoin = async () => {
    while (!leaving) {
      try {
        lockClient = await enter(cluster, options.as)
        return watch()
      } catch {
        await sleep(500)
      }
    }
  }
  const watch = () => {
    lockClient.once('end', () => {
      if (!leaving) rejoining = rejoin()
    })
  }
  watch()

  return {
    url: cluster.url(),
    async leave() {
      leaving = true
      await rejoining // otherwise a PostgreSQL that is being started would keep running
      const alone = await isLastUser(lockClient).catch(() => false)
      if (alone) await cluster.stop()
      await lockClient.end().catch(() => {})
    },
  }
}

/** Whether there is an embedded PostgreSQL in this data directory, running or not. */
export function embeddedExists(dataDir: string): boolean {
  return existsSync(join(dataDir, 'postgres'))
}

async function enter(cluster: Cluster, as: EmbeddedOptions['as']): Promise<pg.Client> {
  for (;;) {
    const client = await cluster.connect(`latchkey ${as} ${process.pid}`)
    try {
      await client.query('SELECT pg_advisory_lock_shared($1)', [usersLock])
      if (as === 'server') await claimServer(client)
      return client
    } catch (error) {
      await client.end().catch(() => {})
      // The last process to leave may just have stopped PostgreSQL. Then this process starts it again.
      if (!isUnavailable(error)) throw error
    }
  }
}

async function claimServer(client: pg.Client): Promise<void> {
  // After a server was killed, its back end keeps the lock for a short time.
  for (let attempt = 0; attempt < 50; attempt++) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS won', [serverLock])
    if (rows[0]?.won === true) return
    await sleep(100)
  }
  const { rows } = await client.query(
    `SELECT a.application_name AS holder FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE l.locktype = 'advisory' AND l.granted AND l.objid = $1::bigint::oid`,
    [serverLock],
  )
  const holder = String(rows[0]?.holder ?? '').match(/\d+$/)?.[0] ?? 'unknown'
  throw new DataDirectoryInUse(
    `Another Latchkey server (process ${holder}) is running on this data directory. ` +
      'Stop it first, or set LATCHKEY_DATA_DIR to a separate directory for this one.',
  )
}

async function isLastUser(client: pg.Client): Promise<boolean> {
  await client.query('SELECT pg_advisory_unlock_all()')
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS alone', [usersLock])
  return rows[0]?.alone === true
}

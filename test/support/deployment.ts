import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { emailOf, password } from './directory.ts'
import type { Addresses } from './journey.ts'
import { type Finished, hostedLatchkey, latchkey, type RunningLatchkey, startLatchkey } from './latchkey.ts'
import { freePort } from './ports.ts'
import type { TestPartner } from './server.ts'

/** An operator's installation: a data directory, addresses and the program. The server may be running or stopped. */
export type Deployment = Addresses & {
  dataDir: string
  env: Record<string, string>
  opsUrl: string
  /** Runs `latchkey start` and waits for its ready line. Standard error is read, or goes to the given file descriptor. */
  start(stderr?: number): Promise<RunningLatchkey>
  /** Runs a command that must succeed. @returns its standard output */
  command(...args: string[]): Promise<string>
  /** Kills all processes that still run, and removes the data directory. */
  remove(): void
}

export async function newDeployment(more: Record<string, string> = {}): Promise<Deployment> {
  const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-deployment-'))
  const [port, opsPort] = [await freePort(), await freePort()]
  const env: Record<string, string> = {
    LATCHKEY_DATA_DIR: dataDir,
    LATCHKEY_PORT: String(port),
    LATCHKEY_OPS_PORT: String(opsPort),
    LATCHKEY_AUTH_URL: `http://127.0.0.1:${port}`,
    ...more,
  }
  const started: RunningLatchkey[] = []
  return {
    authUrl: `http://127.0.0.1:${port}`,
    baseUrl: `http://127.0.0.1:${port}/service-open-api/`,
    opsUrl: `http://127.0.0.1:${opsPort}`,
    dataDir,
    env,
    async start(stderr) {
      const running = await startLatchkey(['start'], env, stderr === undefined ? {} : { stderr })
      started.push(running)
      return running
    },
    command: async (...args) => outputOf(args, await latchkey(args, env)),
    remove() {
      for (const { process } of started) process.kill('SIGKILL')
      const pid = postmasterPid(dataDir)
      if (pid && isAlive(pid)) process.kill(pid, 'SIGKILL')
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** A command that prepares a deployment. It runs in the shared process, because no test is about it. */
async function commandFor(deployment: Deployment, ...args: string[]): Promise<string> {
  return outputOf(args, await hostedLatchkey(args, deployment.env))
}

function outputOf(args: string[], { code, stdout, stderr }: Finished): string {
  if (code !== 0) throw new Error(`latchkey ${args.join(' ')} ended with ${code}: ${stderr}`)
  return stdout
}

/** Imports a directory of one firm: these users, who see the whole firm, and one household with one active account. */
export async function importUsers(deployment: Deployment, userIds: string[]): Promise<void> {
  const directory = join(deployment.dataDir, 'csv')
  const files = {
    'firms.csv': ['id,name', 'f1,First Firm'],
    'roles.csv': ['name,sees', 'principal,firm'],
    'users.csv': [
      'id,firm_id,email,name,role,status,password',
      ...userIds.map((id) => `${id},f1,${emailOf(id)},User ${id},principal,active,${password}`),
    ],
    'households.csv': ['id,firm_id,name', 'h1,f1,The Only Household'],
    'accounts.csv': [
      'id,household_id,name,type,number_masked,custodian,currency,status,opened_on',
      'a1,h1,Savings,deposit,****1234,First Custodian,EUR,active,2020-02-29',
    ],
  }
  mkdirSync(directory, { recursive: true })
  for (const [name, lines] of Object.entries(files)) writeFileSync(join(directory, name), lines.join('\n'))
  await commandFor(deployment, 'import', directory)
}

export async function createPartner(
  deployment: Deployment,
  redirectUri = 'https://partner.example/callback',
): Promise<TestPartner> {
  const options = ['--name', 'Test Partner', '--redirect-uri', redirectUri, '--json']
  const created = JSON.parse(await commandFor(deployment, 'partner', 'create', ...options))
  return { clientId: created.client_id, clientSecret: created.client_secret, redirectUri }
}

/** Undefined if PostgreSQL was stopped properly. After a kill, the file still contains the killed process's id. */
export function postmasterPid(dataDir: string): number | undefined {
  const file = join(dataDir, 'postgres', 'postmaster.pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined
}

/** The process id of the running PostgreSQL. */
export function runningPostgres(dataDir: string): number {
  const pid = postmasterPid(dataDir)
  if (!pid || !isAlive(pid)) throw new Error(`no PostgreSQL is running on ${dataDir}`)
  return pid
}

/** A separate connection to the running embedded PostgreSQL. */
export async function connectEmbedded(dataDir: string): Promise<pg.Client> {
  const port = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3])
  const secret = readFileSync(join(dataDir, 'postgres', 'latchkey-password'), 'utf8')
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'latchkey',
    password: secret,
    database: 'latchkey',
  })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** A zombie process counts as dead: it has exited, and only its parent has not read its exit code yet. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    const stat = `/proc/${pid}/stat`
    return !existsSync(stat) || !/\) [ZX]/.test(readFileSync(stat, 'utf8'))
  } catch {
    return false
  }
}

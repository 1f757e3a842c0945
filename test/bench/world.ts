import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import pg from 'pg'
import Type from 'typebox'
import { Parse } from 'typebox/value'
import { freePort } from '../support/ports.ts'
import type { Effort } from './compare.ts'
import { type Reader, writeData } from './data.ts'
import { newCodes, redeem } from './journey.ts'
import { peakMemory } from './memory.ts'

/** The built program of a checkout. `scripts/run.mjs bench` builds this checkout and runs the bench in its root. */
export function programOf(checkout: string): string {
  return resolve(checkout, 'dist/cli/main.js')
}

export type Credentials = { clientId: string; clientSecret: string }
export type Partner = Credentials & { redirectUri: string }

/** The result of an import: `elapsed` in seconds, `peak` memory of its process in MiB. */
export type Imported = { rows: number; elapsed: number; peak: number }

/** A running Latchkey with data, and everything needed to call and observe it. */
export type World = {
  effort: Effort
  households: number
  authUrl: string
  baseUrl: string
  /** Its id_tokens are signed with RS256. */
  partner: Partner
  es256Partner: Partner
  /** One access token for each user. */
  tokens: Record<Reader, string>
  imported: Imported
  /** Process ids. */
  server: number
  postmaster: number
  databaseUrl: string
  /** The CSV files that were imported, and their number of rows. */
  csv: { directory: string; rows: number }
  /** For temporary files of a bench; `end` removes it. */
  directory: string
  /** Runs one command of the program on this deployment. @returns its standard output @throws when it fails */
  command(...args: string[]): Promise<string>
  end(): Promise<void>
}

/** Imports the data, starts the server, and connects the users to a partner. Uses another checkout's program if given. */
export async function openWorld(households: number, effort: Effort, checkout = '.'): Promise<World> {
  const program = programOf(checkout)
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  const csv = join(directory, 'csv')
  mkdirSync(csv)
  const rows = await writeData(csv, households)
  const [port, opsPort] = [await freePort(), await freePort()]
  const authUrl = `http://127.0.0.1:${port}`
  const dataDir = join(directory, 'data')
  const env = {
    LATCHKEY_ENVIRONMENT: 'production', // a sandbox has hooks that simulate failures and move clocks
    LATCHKEY_DATA_DIR: dataDir,
    LATCHKEY_PORT: String(port),
    LATCHKEY_OPS_PORT: String(opsPort),
    LATCHKEY_AUTH_URL: authUrl,
  }
  let server: ChildProcess | undefined
  const end = async () => {
    if (server && server.exitCode === null) {
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  try {
    server = await startServer(program, env, join(directory, 'server.log'))
    const imported = await importFiles(csv, rows, env, program)
    const partner = await createPartner('RS256', env, program)
    const es256Partner = await createPartner('ES256', env, program)
    const addresses = { authUrl, baseUrl: `${authUrl}/service-open-api/` }
    const token = async (reader: Reader) =>
      (await redeem(addresses, partner, (await newCodes(addresses, partner, reader, 1))[0] ?? ''))
        .access_token
    const tokens = { firm: await token('firm'), granted: await token('granted'), broad: await token('broad') }
    const database = embedded(dataDir)
    await settle(database.databaseUrl)
    return {
      ...{
        effort,
        households,
        ...addresses,
        partner,
        es256Partner,
        tokens,
        server: server.pid ?? 0,
        ...database,
      },
      ...{ imported, csv: { directory: csv, rows }, directory, end },
      command: (...args) => latchkey(args, env, program),
    }
  } catch (error) {
    await end()
    throw error
  }
}

/** Runs one command of the program. @returns its standard output @throws when it fails */
export async function latchkey(
  args: string[],
  env: Record<string, string>,
  program = programOf('.'),
): Promise<string> {
  return (await run(program, args, env)).stdout
}

/** `latchkey import` of a directory with so many rows. */
export async function importFiles(
  directory: string,
  rows: number,
  env: Record<string, string>,
  program = programOf('.'),
): Promise<Imported> {
  const started = performance.now()
  const running = run(program, ['import', directory], env)
  const peak = await peakMemory(running.child.pid ?? 0, running)
  return { rows, elapsed: (performance.now() - started) / 1000, peak }
}

function run(program: string, args: string[], env: Record<string, string>) {
  const options = { env: { PATH: process.env.PATH, ...env } }
  return promisify(execFile)(process.execPath, [program, ...args], options)
}

/** The log goes to a file, because writing it is part of the cost of a call. */
async function startServer(program: string, env: Record<string, string>, log: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, 'start'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', openSync(log, 'a')],
  })
  const { stdout } = child
  if (!stdout) throw new Error('the server has no standard output')
  await new Promise<void>((ready, failed) => {
    child.once('exit', () => failed(new Error(`the server did not start: ${readFileSync(log, 'utf8')}`)))
    createInterface(stdout).once('line', () => ready())
  })
  return child
}

const CreatedPartner = Type.Object({ client_id: Type.String(), client_secret: Type.String() })

async function createPartner(
  algorithm: 'RS256' | 'ES256',
  env: Record<string, string>,
  program: string,
): Promise<Partner> {
  const redirectUri = 'https://partner.example/callback'
  const settings = [
    '--name',
    `Bench ${algorithm}`,
    '--redirect-uri',
    redirectUri,
    '--id-token-alg',
    algorithm,
  ]
  const args = ['partner', 'create', ...settings, '--json']
  const created = Parse(CreatedPartner, JSON.parse(await latchkey(args, env, program)))
  return { clientId: created.client_id, clientSecret: created.client_secret, redirectUri }
}

function embedded(dataDir: string): { postmaster: number; databaseUrl: string } {
  const lines = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')
  const secret = readFileSync(join(dataDir, 'postgres', 'latchkey-password'), 'utf8')
  return {
    postmaster: Number(lines[0]),
    databaseUrl: `postgres://latchkey:${secret}@127.0.0.1:${lines[3]}/latchkey`,
  }
}

/**
 * Vacuums the imported tables before the measurements. Autovacuum would do it within minutes, during some of the rounds.
 * Not the tables of connections and tokens: with statistics that say they are tiny, PostgreSQL would plan to read all of
 * them.
 */
async function settle(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query('VACUUM (ANALYZE) firms, roles, users, households, accounts, account_access')
  await client.query('CHECKPOINT')
  await client.end()
}

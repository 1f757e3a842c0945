import { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import type { Database } from '../database/database.ts'
import { openDatabase } from '../database/open.ts'
import { openSigningKeys, signerAt } from '../keys/keyring.ts'
import { signingAlgorithms } from '../keys/signing-keys.ts'
import { deriveKeys } from '../secrets/derived-keys.ts'
import { answer } from './command.ts'
import { databaseFacts } from './doctor.sql.ts'

type Check = { check: string; ok: boolean; detail: string }

/** Each check stands on those before it: without configuration or database there is nothing more to ask. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check configuration, database and keys, and say what is wrong')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const checks: Check[] = []
      for await (const check of examine()) checks.push(check)
      const text = checks.map(
        ({ check, ok, detail }) => `${ok ? 'ok   ' : 'FAULT'}  ${check.padEnd(14)} ${detail}`,
      )
      answer(options, { ok: checks.every(({ ok }) => ok), checks }, text.join('\n'))
      if (checks.some(({ ok }) => !ok)) process.exitCode = 1
    })
}

async function* examine(): AsyncGenerator<Check> {
  let config: Config
  try {
    config = readConfig(process.env)
  } catch (error) {
    yield fault('configuration', error)
    return
  }
  yield {
    check: 'configuration',
    ok: true,
    detail: `${config.environment} at ${config.authUrl}, API at ${config.baseUrl}`,
  }

  let database: Database
  try {
    database = await openDatabase(config, 'command', () => {})
  } catch (error) {
    yield fault('database', error)
    return
  }
  try {
    yield* examineDatabase(database, config)
    yield await examineKeys(database, config)
  } finally {
    await database.close()
  }
}

async function* examineDatabase(database: Database, config: Config): AsyncGenerator<Check> {
  try {
    const facts = await database.one(databaseFacts, [])
    const place = config.databaseUrl ? 'DATABASE_URL' : `embedded in ${config.dataDir}`
    yield { check: 'database', ok: true, detail: `PostgreSQL ${facts.version}, ${place}, schema up to date` }
    const recent = facts.version_number >= 150_000
    yield {
      check: 'version',
      ok: recent,
      detail: recent ? '15 or newer' : 'PostgreSQL 15 or newer is needed',
    }
    const skew = Math.round((Date.now() - facts.clock.getTime()) / 1000)
    yield {
      check: 'clocks',
      ok: Math.abs(skew) <= 2,
      detail: `this machine and the database are ${skew} s apart`,
    }
    yield {
      check: 'data',
      ok: true,
      detail: `${facts.users} users, ${facts.households} households, ${facts.partners} partners, ${facts.grants} live grants`,
    }
  } catch (error) {
    yield fault('database', error)
  }
}

async function examineKeys(database: Database, { secret }: Config): Promise<Check> {
  const check = 'signing keys'
  try {
    const keys = await openSigningKeys(database, deriveKeys(secret)['signing-key'])
    const live = keys.filter(({ privateKey }) => privateKey)
    const signers = signingAlgorithms.map((algorithm) => {
      const kid = signerAt(live, algorithm, new Date())?.kid
      return `${algorithm} ${kid ?? 'will be made by the first server'}`
    })
    return { check, ok: true, detail: signers.join(', ') }
  } catch (error) {
    return fault(check, error)
  }
}

function fault(check: string, error: unknown): Check {
  return { check, ok: false, detail: error instanceof Error ? error.message : String(error) }
}

import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { openDatabase } from '../database/open.ts'
import { loadSigningKey } from '../keys/signing-keys.ts'
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
  const fault = (check: string, error: unknown): Check => ({
    check,
    ok: false,
    detail: error instanceof Error ? error.message : String(error),
  })
  let config: ReturnType<typeof readConfig>
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

  let database: Awaited<ReturnType<typeof openDatabase>>
  try {
    database = await openDatabase(config, 'command', () => {})
  } catch (error) {
    yield fault('database', error)
    return
  }
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
      ok: Math.abs(skew) <= 5,
      detail: `this machine and the database are ${skew} s apart`,
    }
    yield {
      check: 'data',
      ok: true,
      detail: `${facts.users} users, ${facts.households} households, ${facts.partners} partners, ${facts.grants} live grants`,
    }
    const { kid } = await loadSigningKey(database, deriveKeys(config.secret)['signing-key'])
    yield { check: 'signing key', ok: true, detail: kid }
  } catch (error) {
    yield fault('database', error)
  } finally {
    await database.close()
  }
}

import { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import type { Database } from '../database/database.ts'
import { checkEnvironment } from '../database/deployment.ts'
import { embeddedExists } from '../database/embedded/embedded.ts'
import { explainSchema, readSchema, type SchemaState } from '../database/migrate.ts'
import { connectDatabase } from '../database/open.ts'
import { openSigningKeys, signerAt } from '../keys/keyring.ts'
import { type Rotation, readRotation } from '../keys/secret-rotation.ts'
import { signingAlgorithms } from '../keys/signing-keys.ts'
import type { MailSettings } from '../mail-settings.ts'
import { secretFile } from '../secrets/secret-files.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { unreadableSecrets } from '../secrets/stored-secret.ts'
import { answer } from './command.ts'
import { dataFacts, serverFacts } from './doctor.sql.ts'
import { describeState } from './secret.ts'

type Check = { check: string; ok: boolean; detail: string }

/**
 * Changes nothing and creates nothing: no data directory, secret, database, schema or keys. If the embedded PostgreSQL is
 * stopped, it runs during the checks only. If a check fails and later checks depend on it, they are left out.
 */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check configuration, database and keys, and report faults; changes nothing')
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
    config = readConfig(process.env, { makeSecret: false })
  } catch (error) {
    yield fault('configuration', error)
    return
  }
  yield passed('configuration', `${config.environment} at ${config.authUrl}, API at ${config.baseUrl}`)
  yield* examinePlace(config)
  if (config.mail) yield await examineMail(config.mail)
}

/** The configured database, if there is one. */
async function* examinePlace(config: Config): AsyncGenerator<Check> {
  if (!config.databaseUrl && !embeddedExists(config.dataDir)) {
    const detail = `there is none in ${config.dataDir} yet: \`latchkey start\` or \`latchkey import\` creates it`
    yield { check: 'database', ok: false, detail }
    return
  }
  let database: Database
  try {
    database = await connectDatabase(config, 'command', () => {})
  } catch (error) {
    yield fault('database', error)
    return
  }
  try {
    yield* examineDatabase(database, config)
  } finally {
    await database.close()
  }
}

/** Connects to the mail server and logs in. No mail is sent. */
async function examineMail(mail: MailSettings): Promise<Check> {
  try {
    const { verifySmtp } = await import('../mail/smtp.ts') // most commands do not need it
    await verifySmtp(mail)
    return passed('mail', `${mail.host}:${mail.port} can be used; the sender is ${mail.from.address}`)
  } catch (error) {
    return fault('mail', error)
  }
}

/** If a check throws, the error is its fault. */
async function* examineDatabase(database: Database, config: Config): AsyncGenerator<Check> {
  let check = 'database'
  try {
    const facts = await database.one(serverFacts, [])
    const place = config.databaseUrl ? 'DATABASE_URL' : `embedded in ${config.dataDir}`
    yield passed(check, `PostgreSQL ${facts.version}, ${place}`)
    yield* examineServer(facts)
    check = 'environment'
    await database.withConnection((client) => checkEnvironment(client, config.environment))
    yield passed(check, config.environment)
    check = 'schema'
    const schema = await database.withConnection((client) => readSchema(client))
    yield { check, ok: schema.kind === 'current', detail: describeSchema(schema) }
    if (schema.kind !== 'current') return
    check = 'data'
    const {
      users,
      households,
      partners,
      grants,
      changes_audit: changesAudit,
    } = await database.one(dataFacts, [])
    yield passed(
      check,
      `${users} users, ${households} households, ${partners} partners, ${grants} live grants`,
    )
    yield passed(
      'audit log',
      changesAudit
        ? 'the role of this program may change its rows; DATABASE_MIGRATION_URL prevents that (docs/audit.md)'
        : 'the role of this program may only add rows',
    )
    check = 'signing keys'
    yield passed(check, await describeKeys(database, config))
    check = 'stored secrets'
    yield examineStored(await unreadableSecrets(database, secretKeys(config)))
    check = 'secret'
    yield examineSecret(await readRotation(database, config, new Date()), config)
  } catch (error) {
    yield fault(check, error)
  }
}

function* examineServer(facts: { version_number: number; clock: Date }): Generator<Check> {
  const recent = facts.version_number >= 150_000
  const version = recent ? '15 or newer' : 'PostgreSQL 15 or newer is needed'
  yield { check: 'version', ok: recent, detail: version }
  const skew = Math.round((Date.now() - facts.clock.getTime()) / 1000)
  const clocks = `the clocks of this machine and the database differ by ${skew} s`
  yield { check: 'clocks', ok: Math.abs(skew) <= 2, detail: clocks }
}

function describeSchema(state: SchemaState): string {
  if (state.kind === 'current') return `${state.version}, compatible with this program`
  if (state.kind === 'none') return explainSchema(state)
  const pending = state.pending.map(({ name, kind }) => `${name} (${kind})`)
  return `${explainSchema(state)} Pending: ${pending.join(', ')}`
}

async function describeKeys(database: Database, config: Config): Promise<string> {
  if (config.secret === '') {
    throw new Error(`the secret that encrypts the keys is missing: ${secretFile(config.dataDir)}`)
  }
  const keys = await openSigningKeys(database, secretKeys(config))
  const live = keys.filter(({ privateKey }) => privateKey)
  const signers = signingAlgorithms.map((algorithm) => {
    const kid = signerAt(live, algorithm, new Date())?.kid
    return `${algorithm} ${kid ?? 'will be created by the first server'}`
  })
  return signers.join(', ')
}

/** What to do about stored secrets that cannot be opened, by their table. */
const setUpAgain: Record<string, string> = {
  identity_providers:
    'users cannot log in through these identity providers; `latchkey idp list` names them, and ' +
    '`latchkey idp set-credential ID` stores a new client secret or key',
  totp_secrets:
    'codes of these authenticator apps are refused; the users sign in with a passkey or a recovery code and set the app up ' +
    'again, or `latchkey user reset-factors ID` removes it',
}

function examineStored(unreadable: { table: string; rows: number }[]): Check {
  const faults = unreadable.map(({ table, rows }) => `${rows} in ${table}: ${setUpAgain[table] ?? ''}`)
  const detail = `encrypted with a secret that is not configured: ${faults.join('. ')}`
  if (faults.length > 0) return { check: 'stored secrets', ok: false, detail }
  return passed('stored secrets', 'can be opened')
}

/** A copy of a database with the secret of the original accepts the tokens of the original, and the reverse. */
function examineSecret({ state, authUrl }: Rotation, config: Config): Check {
  const detail = describeState(state)
  if (authUrl === null || authUrl === config.authUrl) {
    return { check: 'secret', ok: state.kind !== 'foreign', detail }
  }
  return {
    check: 'secret',
    ok: false,
    detail:
      `the last server with this secret and database was ${authUrl}. If this database is a copy, set a new LATCHKEY_SECRET ` +
      'and run `latchkey secret rotate --compromised` on the copy. If the address has changed, start the server',
  }
}

function passed(check: string, detail: string): Check {
  return { check, ok: true, detail }
}

function fault(check: string, error: unknown): Check {
  return { check, ok: false, detail: error instanceof Error ? error.message : String(error) }
}

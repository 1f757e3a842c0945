import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemOrigin } from '../audit/origin.ts'
import type { Config } from '../config.ts'
import { type Database, statement } from '../database/database.ts'
import { inviteDeveloper } from '../developers/members.ts'
import { ExplainedError } from '../explained-error.ts'
import { type ImportOutcome, importDirectory } from '../import/import-directory.ts'
import { listOperators } from '../operators/operators.sql.ts'
import { createOperator } from '../operators/operators.ts'
import { findPartner } from '../partners/partners.sql.ts'
import { createPartner } from '../partners/partners.ts'
import { resetCredentials } from '../people/accounts.ts'
import { findSandbox } from '../sandbox/application.sql.ts'
import { sandboxFirm } from '../sandbox/data.ts'
import { loadSandbox } from '../sandbox/load.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import Type, { Compile, type Static } from '../typebox.ts'
import { addEndpoint } from '../webhooks/endpoints.ts'
import { firms, people } from './data/people.ts'
import { writeDemoData } from './data/write-demo-data.ts'

export const anyFirm = statement(
  'any_firm',
  Type.Object({ id: Type.String() }),
  'SELECT id FROM firms LIMIT 1',
)

export const recordDemo = statement('record_demo', Type.Object({}), 'UPDATE deployment SET demo = true')

class NotADemo extends ExplainedError {}

const DemoPartner = Type.Object({
  clientId: Type.String(),
  clientSecret: Type.String(),
  redirectUri: Type.String(),
  /** Of its webhook endpoint. Absent: an older version registered the partner. */
  webhookSecret: Type.Optional(Type.String()),
})
export type DemoPartner = Static<typeof DemoPartner>

/**
 * The demo runs only on an empty database, on a database that is recorded as a demo, or on a database that has only the
 * firms of the demo, because older versions did not record it. Works with any schema, and changes nothing.
 * @throws {NotADemo} for any other database
 */
export async function checkDemoDatabase(database: Database): Promise<void> {
  const problem = await database.withConnection(async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'SELECT tablename AS name FROM pg_tables WHERE schemaname = ANY (current_schemas(false))',
    )
    const tables = rows.map(({ name }) => name)
    const has = async (sql: string, ...values: unknown[]) => (await client.query(sql, values)).rowCount !== 0
    if (tables.length === 0) return null
    if (!tables.includes('schema_migrations')) return 'has tables of another program'
    if (tables.includes('deployment') && (await has('SELECT FROM deployment WHERE demo'))) return null
    const ids = firms.map(({ id }) => id)
    const hasOtherData =
      (await has('SELECT FROM firms WHERE id <> ALL ($1) LIMIT 1', ids)) ||
      (!(await has('SELECT FROM firms LIMIT 1')) &&
        tables.includes('partners') &&
        (await has('SELECT FROM partners LIMIT 1')))
    return hasOtherData ? 'has data that the demo did not make' : null
  })
  if (problem === null) return
  throw new NotADemo(
    `This database ${problem}. Nothing was changed. The demo needs a separate database: set LATCHKEY_DATA_DIR or ` +
      'DATABASE_URL to another. `latchkey start` runs a server on this one.',
  )
}

/**
 * Records that the database is a demo, and imports the demo data unless the database already has firms. Also loads the sandbox
 * users, but not the 100,000 households, which would take seconds.
 */
export async function prepareDirectory(database: Database): Promise<void> {
  await database.run(recordDemo, [])
  if (!(await database.maybe(anyFirm, []))) await importDemoData(database)
  if (!(await database.maybe(findSandbox, [sandboxFirm]))) {
    requireImported(await loadSandbox(database, systemOrigin, { households: 0 }))
  }
}

async function importDemoData(database: Database): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-demo-'))
  try {
    await writeDemoData(directory)
    requireImported(await importDirectory(database, systemOrigin, directory))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function requireImported(outcome: ImportOutcome): void {
  if (outcome.kind !== 'imported')
    throw new Error(`the demo data was not imported: ${JSON.stringify(outcome)}`)
}

const demoOwner = { email: 'owner@northbridge.example', name: 'Demo Owner', role: 'owner' as const }

/** Where a person signs in: a setup link, which works once, or the pages if the account is set up. */
export type SignInLink = { address: string; isSetUp: boolean }

/** Adds an administrator of the demo partner for the developer pages, unless there is one who has set up the account. */
export async function prepareDeveloper(
  database: Database,
  config: Config,
  clientId: string,
): Promise<SignInLink> {
  const invitation = {
    clientId,
    email: 'dev@sample-app.example',
    name: 'Demo Developer',
    role: 'admin' as const,
  }
  const outcome = await inviteDeveloper(database, systemOrigin, { config, by: 'operator' }, invitation)
  if (outcome.kind !== 'invited' && outcome.kind !== 'was_member')
    throw new Error(`the demo developer was not added: ${JSON.stringify(outcome)}`)
  const { link } = outcome
  return { address: link?.link ?? `${config.authUrl}/developers`, isSetUp: link === undefined }
}

/** Adds an operator for the console, unless the demo has one who has set up the account. */
export async function prepareOperator(database: Database, config: Config): Promise<SignInLink> {
  const operators = await database.run(listOperators, [null])
  if (operators.some((operator) => operator.has_password || operator.providers.length > 0)) {
    return { address: `${config.admin.url}/admin`, isSetUp: true }
  }
  const known = operators.some(({ email }) => email === demoOwner.email)
  const outcome = known
    ? await resetCredentials(database, systemOrigin, { config, kind: 'operator' }, demoOwner.email)
    : await createOperator(database, systemOrigin, config, demoOwner)
  if (outcome.kind !== 'done') throw new Error(`the demo owner was not added: ${JSON.stringify(outcome)}`)
  return { address: outcome.link, isSetUp: false }
}

/**
 * Registers the demo partner with its webhook endpoint, and stores the secrets in the data directory. That is acceptable only
 * for a demo.
 */
export async function preparePartner(
  database: Database,
  config: Config,
  partnerUrl: string,
): Promise<DemoPartner> {
  const file = join(config.dataDir, 'demo-partner.json')
  const redirectUri = new URL('/callback', partnerUrl).href
  const stored = readStored(file)
  const isCurrent =
    stored?.redirectUri === redirectUri &&
    (await database.maybe(findPartner, [stored.clientId])) !== undefined
  if (isCurrent && stored.webhookSecret !== undefined) return stored
  const partner = isCurrent ? stored : await registerPartner(database, config, redirectUri)
  const webhookSecret = await registerEndpoint(database, config, partner.clientId, partnerUrl)
  mkdirSync(config.dataDir, { recursive: true, mode: 0o711 }) // with DATABASE_URL the directory may not exist yet
  writeFileSync(file, JSON.stringify({ ...partner, webhookSecret }), { mode: 0o600 })
  return { ...partner, webhookSecret }
}

async function registerPartner(
  database: Database,
  config: Config,
  redirectUri: string,
): Promise<DemoPartner> {
  const created = await createPartner(database, systemOrigin, config.environment, {
    name: 'Sample Partner App',
    redirectUris: [redirectUri],
    requirePkce: true,
  })
  if (created.kind === 'refused') throw new Error(created.faults.join('; '))
  const { clientId, clientSecret } = created
  if (clientSecret === undefined) throw new Error('the demo partner has no secret')
  return { clientId, clientSecret, redirectUri }
}

async function registerEndpoint(
  database: Database,
  config: Config,
  clientId: string,
  partnerUrl: string,
): Promise<string> {
  const context = { database, keys: secretKeys(config), config }
  const url = new URL('/webhooks', partnerUrl).href
  const added = await addEndpoint(context, systemOrigin, {
    clientId,
    url,
    description: 'The sample application',
  })
  if (added.kind !== 'added' || added.secret === null) throw new Error(JSON.stringify(added))
  return added.secret
}

function readStored(file: string): DemoPartner | undefined {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return Compile(DemoPartner).Check(stored) ? stored : undefined
  } catch {
    return undefined
  }
}

export function loginTable(): string {
  const logins = people.filter(({ status }) => status === 'active')
  const width = Math.max(...logins.map(({ email }) => email.length))
  return logins
    .map(({ email, password, sees }) => `  ${email.padEnd(width)}  ${password.padEnd(20)}  ${sees}`)
    .join('\n')
}

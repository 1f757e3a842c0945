import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { recordEnvironment } from '../../src/database/deployment.ts'
import { writeDemoData } from '../../src/demo/data/write-demo-data.ts'
import { checkDemoDatabase } from '../../src/demo/demo.ts'
import { query, type TestDatabase, testDatabase } from '../support/database.ts'
import { newDeployment } from '../support/deployment.ts'
import { emptyDirectory, writeFiles } from '../support/import.ts'
import { type Finished, hostedLatchkey, startLatchkey } from '../support/latchkey.ts'
import { freePort } from '../support/ports.ts'

let db: TestDatabase

beforeEach(async () => {
  db = await testDatabase()
})
afterEach(() => db.drop())

function run(environment: string, ...args: string[]): Promise<Finished> {
  return hostedLatchkey(args, {
    LATCHKEY_ENVIRONMENT: environment,
    DATABASE_URL: db.url,
    LATCHKEY_SECRET: 'the secret of this deployment, 32 bytes or more',
  })
}

/** All rows that any user, partner or operator may have written. */
async function everything(): Promise<unknown> {
  const tables = ['schema_migrations', 'firms', 'users', 'partners', 'signing_keys', 'deployment']
  return Promise.all(tables.map((table) => query(db.database, `SELECT * FROM ${table} ORDER BY 1`)))
}

const insertPartner = (clientId: string) =>
  query(
    db.database,
    `INSERT INTO partners (client_id, name, redirect_uris, secret_hashes) VALUES ($1, 'P', '{https://p.example/}', '{x}')`,
    [clientId],
  )

const commands = [
  ['start'],
  ['migrate'],
  ['partner', 'list'],
  ['user', 'disable', 'ann'],
  ['grant', 'list'],
  ['key', 'rotate'],
  ['import', 'FILES'],
]

describe.each([
  ['sandbox', 'production', commands],
  ['production', 'sandbox', [['start'], ['partner', 'list']]],
])('53: the database of the %s, used by mistake as %s', (home, away, commands) => {
  test.each(commands.map((command) => [command]))('%j: refused, and nothing changes', async (command) => {
    expect(await run(home, 'migrate')).toMatchObject({ code: 0 })
    const before = await everything()
    const files = writeFiles({ 'firms.csv': 'id,name\nf1,First\n' })
    const { code, stdout, stderr } = await run(away, ...command.map((arg) => (arg === 'FILES' ? files : arg)))
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `This database belongs to ${home}, and LATCHKEY_ENVIRONMENT is ${away}. Nothing was changed.\n`,
    })
    expect(await everything()).toEqual(before)
  })

  test('doctor reports a fault', async () => {
    await run(home, 'migrate')
    const { code, stdout } = await run(away, 'doctor', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout).checks.at(-1)).toEqual({
      check: 'environment',
      ok: false,
      detail: `This database belongs to ${home}, and LATCHKEY_ENVIRONMENT is ${away}. Nothing was changed.`,
    })
  })

  test('from before the environment was recorded: recognized by its client ids, also with an older schema', async () => {
    await insertPartner(`${home === 'sandbox' ? 'test' : 'live'}_0123456789012345678901`)
    await query(
      db.database,
      `DROP TABLE deployment; DELETE FROM schema_migrations WHERE name = '0013_deployment.sql'`,
    )
    const { code, stderr } = await run(away, 'migrate')
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`belongs to ${home}`) })
    expect(await query(db.database, `SELECT to_regclass('deployment') AS is`)).toEqual([{ is: null }])
    expect(await run(home, 'migrate')).toMatchObject({ code: 0 })
  })
})

test('first use as both at the same time: it belongs to one, and the other is refused', async () => {
  const claims = (['sandbox', 'production', 'sandbox', 'production'] as const).map((environment) =>
    db.database
      .withConnection((client) => recordEnvironment(client, environment))
      .then(
        () => environment,
        (error: unknown) => String(error),
      ),
  )
  const outcomes = await Promise.all(claims)
  const [owner] = await query<{ environment: string }>(db.database, 'SELECT environment FROM deployment')
  expect(outcomes.filter((outcome) => outcome === owner?.environment)).toHaveLength(2)
  expect(outcomes.filter((outcome) => outcome.includes(`belongs to ${owner?.environment}`))).toHaveLength(2)
})

describe('the demo on a database that is not its own', () => {
  const demo = () => run('sandbox', 'demo')
  const refusal = (what: string) => ({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`This database ${what}. Nothing was changed.`),
  })

  test.each<[string, string, string]>([
    ['with a firm', `INSERT INTO firms VALUES ('f1', 'First')`, 'has data that the demo did not make'],
    [
      'with a firm of the demo and another firm',
      `INSERT INTO firms VALUES ('northbridge', 'x'), ('f1', 'First')`,
      'has data that the demo did not make',
    ],
    [
      'with a partner',
      `INSERT INTO partners (client_id, name, redirect_uris, secret_hashes) VALUES ('test_x', 'P', '{https://p.example/}', '{x}')`,
      'has data that the demo did not make',
    ],
    [
      'of another program',
      'DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE TABLE posts (id int)',
      'has tables of another program',
    ],
  ])('%s: refused, and nothing changes', async (_what, sql, what) => {
    await query(db.database, sql)
    const tables = () =>
      query(db.database, `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`)
    const before = [await tables(), await everything().catch(() => null)]
    expect(await demo()).toEqual(refusal(what))
    expect([await tables(), await everything().catch(() => null)]).toEqual(before)
  })

  test('with an older schema: refused before the schema is changed', async () => {
    await query(db.database, `INSERT INTO firms VALUES ('f1', 'First')`)
    await query(
      db.database,
      `DROP TABLE deployment; DELETE FROM schema_migrations WHERE name = '0013_deployment.sql'`,
    )
    expect(await demo()).toEqual(refusal('has data that the demo did not make'))
    expect(await query(db.database, `SELECT to_regclass('deployment') AS is`)).toEqual([{ is: null }])
  })
})

test('the demo creates its missing data directory, records that a database is its own, accepts it after any additions, and shows its log on demand', async () => {
  const partnerUrl = `http://localhost:${await freePort()}`
  const { env, dataDir, remove } = await newDeployment({
    DATABASE_URL: db.url,
    LATCHKEY_SECRET: 'the secret of the demo, 32 bytes or more',
    PARTNER_URL: partnerUrl,
  })
  env.LATCHKEY_DATA_DIR = join(dataDir, 'not/there/yet')
  try {
    const quiet = await startLatchkey(['demo', '--json'], env)
    expect(quiet.ready.partner_url).toBe(partnerUrl)
    expect((await fetch(partnerUrl)).status).toBe(200)
    await fetch(`${quiet.ready.auth_url}/login`)
    expect(await quiet.stop()).toBe(0)
    expect(quiet.errors()).not.toContain('"route"')
    expect(await query(db.database, 'SELECT environment, demo FROM deployment')).toEqual([
      { environment: 'sandbox', demo: true },
    ])
    await query(db.database, `INSERT INTO firms VALUES ('f1', 'of the newcomer')`)
    const again = await startLatchkey(['demo', '--log'], env)
    await fetch(`${again.ready.auth_url}/login`)
    expect(await again.stop()).toBe(0)
    expect(again.errors()).toContain('"route":"/login"')
  } finally {
    remove()
  }
})

test('an older demo database without this record is recognized by its firms', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-demo-'))
  try {
    await writeDemoData(directory)
    expect(await run('sandbox', 'import', directory)).toMatchObject({ code: 0 })
    await insertPartner('test_0123456789012345678901')
    await expect(checkDemoDatabase(db.database)).resolves.toBeUndefined()
    await query(db.database, 'DROP TABLE deployment')
    await expect(checkDemoDatabase(db.database)).resolves.toBeUndefined()
    await emptyDirectory(db.database)
    await expect(checkDemoDatabase(db.database)).rejects.toThrow('did not make')
  } finally {
    rmSync(directory, { recursive: true })
  }
})

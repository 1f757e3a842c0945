import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { keyIdOf } from '../../src/secrets/derived-keys.ts'
import { commandLine } from '../support/command-line.ts'
import { tokensFor } from '../support/connection.ts'
import { query, type TestDatabase } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture } from '../support/fixtures.ts'
import { errorOf, hostedLatchkey } from '../support/latchkey.ts'
import { testServer } from '../support/server.ts'

const [old, fresh] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
const authUrl = 'http://127.0.0.1:4000'
const day = 24 * 3600 * 1000

/** The command line of a machine with these secrets. */
function cliWith({ url }: TestDatabase, secrets: Record<string, string>) {
  return commandLine({ DATABASE_URL: url, LATCHKEY_AUTH_URL: authUrl, ...secrets })
}

describe('secret rotate shows the next step', async () => {
  const db = await databaseFixture()
  const before = cliWith(db, { LATCHKEY_SECRET: old })
  const announced = cliWith(db, { LATCHKEY_SECRET: old, LATCHKEY_SECRET_NEXT: fresh })
  const switched = cliWith(db, { LATCHKEY_SECRET: fresh, LATCHKEY_SECRET_PREVIOUS: old })
  const other = cliWith(db, { LATCHKEY_SECRET: randomBytes(32).toString('hex') })
  const restarted = async (secrets: { secret: string; nextSecret?: string; previousSecret?: string }) => {
    const server = await testServer({ on: db, authUrl, ...secrets })
    await server.close()
  }
  const stateOf = async (cli: typeof before) => {
    const { state, next_step: step } = await cli.json('secret', 'rotate')
    const check = (await cli.json('doctor')).checks.find((one: { check: string }) => one.check === 'secret')
    return [state, step, check?.ok]
  }
  const ids = { current: keyIdOf(old), next: null, previous: null }

  test('before a server has started', async () => {
    expect(await stateOf(before)).toEqual(['unused', 1, true])
  })

  test('with one secret, as a list of all steps that never contains a secret', async () => {
    await restarted({ secret: old })
    expect(await before.json('secret', 'rotate')).toEqual({
      state: 'idle',
      next_step: 1,
      secrets: ids,
      current_since: expect.stringMatching(/Z$/),
      previous_needed_until: null,
    })
    const text = await before.text('secret', 'rotate')
    expect(text).toMatch(/\n> 1\. Make a new secret: openssl rand -base64 48\n.*\n {2}2\. .*\n.*\n {2}3\. /)
    expect(text).toMatch(/\n\nNow: one secret, no replacement in progress\.\n$/)
    expect(text).not.toContain(old)
  })

  test('with the next secret', async () => {
    expect(await stateOf(announced)).toEqual(['announced', 2, true])
    expect(await announced.text('secret', 'rotate')).toMatch(/\n> 2\. When all are restarted: set/)
  })

  test('with the new secret before a server uses it', async () => {
    expect(await stateOf(switched)).toEqual(['switching', 2, true])
  })

  test('with the new secret when a server uses it, on its machine and on one that is behind', async () => {
    await restarted({ secret: old, nextSecret: fresh })
    await restarted({ secret: fresh, previousSecret: old })
    expect(await stateOf(switched)).toEqual(['overlap', 3, true])
    const { current_since: since, previous_needed_until: until } = await switched.json('secret', 'rotate')
    expect(Date.parse(until) - Date.parse(since)).toBe(31 * day)
    expect(await switched.text('secret', 'rotate')).toContain(`needed until ${until.slice(0, 10)}.`)
    expect(await stateOf(announced)).toEqual(['behind', 2, true])
  })

  test('when the previous secret is no longer needed, and after it was removed', async () => {
    await query(db.database, `UPDATE secrets SET current_since = current_since - interval '31 days'`)
    expect(await stateOf(switched)).toEqual(['finished', 3, true])
    expect(await stateOf(cliWith(db, { LATCHKEY_SECRET: fresh }))).toEqual(['idle', 1, true])
  })

  test('not at all with a secret that this database does not know', async () => {
    expect(await other.json('secret', 'rotate')).toMatchObject({ state: 'foreign', next_step: null })
    expect(await other.text('secret', 'rotate')).toMatch(
      /\nNow: the servers of this database used another secret/,
    )
  })

  test('doctor reports a copy of the database that has the secret of the original', async () => {
    const copy = commandLine({ DATABASE_URL: db.url, LATCHKEY_SECRET: fresh })
    const { code, stdout } = await copy.run('doctor')
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /\nFAULT {2}secret +the last server with this secret and database was http:\/\/127\.0\.0\.1:4000\. If this database is a copy, set a new LATCHKEY_SECRET/,
    )
  })
})

describe('secret rotate --compromised', async () => {
  const db = await databaseFixture()
  await seed(db.database, { users: ['ada'], households: ['h1'] })
  const server = await testServer({ on: db, authUrl, secret: old })
  afterAll(() => server.close())
  const run = (secrets: Record<string, string>, ...more: string[]) =>
    hostedLatchkey(['secret', 'rotate', '--compromised', ...more], {
      DATABASE_URL: db.url,
      LATCHKEY_AUTH_URL: authUrl,
      ...secrets,
    })
  const state = async () => [
    await query(db.database, 'SELECT kid, private_jwk FROM signing_keys ORDER BY kid'),
    await query(db.database, 'SELECT * FROM secrets'),
    await query(db.database, 'SELECT id, revoked_at FROM connections ORDER BY id'),
  ]

  test('changes nothing, and says what to do, until there is a new secret alone', async () => {
    await tokensFor(server, await server.partner(), 'ada')
    const before = await state()
    for (const secrets of [
      { LATCHKEY_SECRET: old },
      { LATCHKEY_SECRET: old, LATCHKEY_SECRET_NEXT: fresh },
      { LATCHKEY_SECRET: fresh, LATCHKEY_SECRET_PREVIOUS: old },
    ]) {
      const { code, stdout, stderr } = await run(secrets)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^Nothing was changed\. Before this command:\n {2}1\. Stop all servers/)
      expect(errorOf(await run(secrets, '--json')).code).toBe('refused')
    }
    expect(await state()).toEqual(before)
  })

  test('then ends all connections, makes new signing keys, and runs once', async () => {
    const { code, stdout } = await run({ LATCHKEY_SECRET: fresh }, '--json')
    expect([code, JSON.parse(stdout)]).toEqual([0, { ended: { connections: 1 } }])
    expect(await query(db.database, 'SELECT key_id FROM secrets')).toEqual([{ key_id: keyIdOf(fresh) }])
    expect((await run({ LATCHKEY_SECRET: fresh })).code).toBe(1)
    const { checks } = await cliWith(db, { LATCHKEY_SECRET: fresh }).json('doctor')
    expect(checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([])
  })
})

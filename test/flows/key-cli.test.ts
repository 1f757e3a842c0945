import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { databaseFixture } from '../support/fixtures.ts'
import { keysOf, passKeyTime, publishedKids } from '../support/keys.ts'
import { type TestServer, testServer } from '../support/server.ts'

const secret = randomBytes(32).toString('hex')
const hour = 3600
let server: TestServer

const db = await databaseFixture()
const cli = commandLine({ DATABASE_URL: db.url, LATCHKEY_SECRET: secret })
afterAll(() => server?.close())

const states = async () =>
  (await cli.json('key', 'list')).map((key: Record<string, unknown>) => [key.algorithm, key.state])

test('before the first server starts there are no keys, and doctor reports no problem', async () => {
  expect(await cli.text('key', 'list')).toBe('There are no keys yet. The first server creates them.\n')
  expect((await cli.json('doctor')).ok).toBe(true)
  server = await testServer({ on: db, secret })
  expect(await states()).toEqual([
    ['ES256', 'signing'],
    ['RS256', 'signing'],
  ])
})

test('rotate --algorithm creates the next key of that algorithm and prints when it starts to sign', async () => {
  const began = Date.now()
  const [made, ...others] = await cli.json('key', 'rotate', '--algorithm', 'RS256')
  expect(others).toEqual([])
  expect(made).toEqual({ kid: expect.any(String), algorithm: 'RS256', signs_from: expect.any(String) })
  const wait = Date.parse(made.signs_from) - began
  expect(wait).toBeGreaterThan(hour * 1000 - 5000)
  expect(wait).toBeLessThan(hour * 1000 + 60_000)
  expect(await states()).toEqual([
    ['ES256', 'signing'],
    ['RS256', 'signing'],
    ['RS256', 'waiting'],
  ])
  await server.context.keyring.refresh()
  expect(await publishedKids(server)).toContain(made.kid)
})

test('rotate without --algorithm creates one key for each algorithm', async () => {
  const text = await cli.text('key', 'rotate')
  expect(text).toMatch(
    /^RS256 {2}\w{22} {2}signs from \d{4}-.*Z\nES256 {2}\w{22} {2}signs from .*Z\n\nEvery server publishes a new key/,
  )
  const printed = (await keysOf(server)).filter(({ kid }) => text.includes(kid))
  expect(printed).toMatchObject([
    { algorithm: 'ES256', generation: 2 },
    { algorithm: 'RS256', generation: 3 },
  ])
})

test('list shows each state of a key until it is retired', async () => {
  await passKeyTime(server, hour)
  expect(await states()).toEqual([
    ['ES256', 'published'],
    ['ES256', 'signing'],
    ['RS256', 'published'],
    ['RS256', 'published'],
    ['RS256', 'signing'],
  ])
  await passKeyTime(server, 24 * hour)
  await server.context.keyring.refresh()
  expect(await states()).toEqual([
    ['ES256', 'retired'],
    ['ES256', 'signing'],
    ['RS256', 'retired'],
    ['RS256', 'retired'],
    ['RS256', 'signing'],
  ])
  expect(await cli.text('key', 'list')).toMatch(/^ES256 {2}\w{22} {2}retired {4}from \d{4}-.*Z\n/)
})

test('with another LATCHKEY_SECRET no key is created, because the servers could not decrypt it', async () => {
  const before = await keysOf(server)
  const { code, stdout, stderr } = await commandLine({
    DATABASE_URL: db.url,
    LATCHKEY_SECRET: 'another secret of 32 bytes or more',
  }).run('key', 'rotate')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^The signing keys .* another secret than LATCHKEY_SECRET.*\n$/)
  expect(await keysOf(server)).toEqual(before)
})

test('an unsupported algorithm is refused', async () => {
  const { code, stderr } = await cli.run('key', 'rotate', '--algorithm', 'none')
  expect(code).toBe(1)
  expect(stderr).toContain('Allowed choices are RS256, ES256')
})

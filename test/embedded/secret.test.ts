import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { keyIdOf } from '../../src/secrets/derived-keys.ts'
import { tokensFor } from '../support/connection.ts'
import { createPartner, importUsers, newDeployment } from '../support/deployment.ts'
import { expectNothingLeft } from '../support/embedded.ts'
import { api } from '../support/journey.ts'
import { publishedKids } from '../support/keys.ts'
import { hostedLatchkey, latchkey } from '../support/latchkey.ts'
import { Visitor } from '../support/visitor.ts'

const deployment = await newDeployment()
afterAll(() => deployment.remove())
const kids = () => publishedKids(deployment)

/** The secrets in the data directory, with their file modes. */
function secrets(): Record<string, string> {
  const names = readdirSync(deployment.dataDir).filter((name) => name.startsWith('secret'))
  return Object.fromEntries(
    names.map((name) => {
      const file = join(deployment.dataDir, name)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      return [name, readFileSync(file, 'utf8')]
    }),
  )
}

const run = (...args: string[]) => latchkey(['secret', 'rotate', ...args], deployment.env)
const refused = (...args: string[]) => hostedLatchkey(['secret', 'rotate', ...args], deployment.env)

test('the secret in the data directory is replaced with one command and one restart, and nothing ends', async () => {
  await importUsers(deployment, ['ada'])
  const partner = await createPartner(deployment)
  const server = await deployment.start()
  const visitor = new Visitor()
  const { accessToken } = await tokensFor(deployment, partner, 'ada', { visitor })
  const before = { secrets: secrets(), kids: await kids() }
  expect(Object.keys(before.secrets)).toEqual(['secret'])

  const { code, stdout, stderr } = await run()
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^The secret in the data directory is replaced\. Restart the server now\./)
  const after = secrets()
  expect(after).toEqual({
    secret: expect.stringMatching(/^[\w-]{64}$/),
    'secret.previous': before.secrets.secret,
  })
  expect(after.secret).not.toBe(before.secrets.secret)
  for (const secret of Object.values(after)) expect(stdout).not.toContain(secret)
  // A second time would end what the first secret made.
  expect(await refused()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no server has started with it yet'),
  })

  expect(await server.stop()).toBe(0)
  const restarted = await deployment.start()
  expect(await kids()).toEqual(before.kids)
  expect((await api(deployment, 'households', accessToken)).status).toBe(200)
  expect((await visitor.get(`${deployment.authUrl}/connections`)).status).toBe(200)
  expect(await refused()).toMatchObject({ code: 1, stderr: expect.stringMatching(/needed until \d{4}-/) })
  expect(secrets()).toEqual(after)

  // After a leak, the server must be stopped.
  expect(await refused('--compromised')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Another Latchkey server'),
  })
  expect(secrets()).toEqual(after)
  expect(await restarted.stop()).toBe(0)
  const compromised = await run('--compromised', '--json')
  expect(compromised.code).toBe(0)
  expect(JSON.parse(compromised.stdout)).toEqual({ ended: { connections: 1 } })
  expect(Object.keys(secrets())).toEqual(['secret'])
  expect(keyIdOf(secrets().secret ?? '')).not.toBe(keyIdOf(after.secret ?? ''))
  const last = await deployment.start()
  expect((await api(deployment, 'households', accessToken)).status).toBe(401)
  for (const kid of await kids()) expect(before.kids).not.toContain(kid)
  expect(await last.stop()).toBe(0)
  expectNothingLeft(deployment)
}, 240_000)

import { Resolver } from 'node:dns/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { adminCaller, newKey } from '../support/admin.ts'
import { developerCaller, newDeveloperKey } from '../support/developer-api.ts'
import { developerOfApp, developerWithForms } from '../support/developers.ts'
import { serverFixture } from '../support/fixtures.ts'

// The programs and developers of one application leave the server to others.

const server = await serverFixture()
const { database } = server
const { clientId } = await server.partner()

test('60: one application cannot keep the server busy: its keys have a limit together', async () => {
  const { clientId: busy } = await server.partner()
  const callers = await Promise.all(
    [1, 2].map(async () => developerCaller(server, await newDeveloperKey(server, busy, 'viewer'))),
  )
  const statuses = new Set<number>()
  for (let n = 0; n < 61; n++) for (const call of callers) statuses.add((await call('GET', '/limits')).status)
  expect([...statuses]).toEqual([200, 429])
  const calm = developerCaller(server, await newDeveloperKey(server, clientId, 'viewer'))
  expect((await calm('GET', '/limits')).status).toBe(200)
})

describe('60: programs of a partner leave the connections for changes of the directory to others', () => {
  const inUse = () => {
    const changes = database.poolStates().find(({ workClass }) => workClass === 'changes')
    return changes ? changes.total - changes.idle : Number.NaN
  }

  test('while the name server of a webhook does not answer', async () => {
    const call = developerCaller(server, await newDeveloperKey(server, clientId))
    const { requests, answer } = silentNameServer()
    const key = { 'idempotency-key': 'x'.repeat(16) }
    const added = call('POST', '/webhooks', { url: 'https://slow.example/' }, key)
    await vi.waitFor(() => expect(requests()).toBe(1))
    expect(inUse()).toBe(0)
    answer()
    expect((await added).status).toBe(201)
  })

  test('while requests wait for one with the same Idempotency-Key', async () => {
    const call = developerCaller(server, await newDeveloperKey(server, clientId))
    const create = (key = 'one-key-of-many-requests') =>
      call('POST', '/keys', { name: 'One', role: 'viewer' }, { 'idempotency-key': key })
    expect((await create()).status).toBe(201)
    const waiting = await database.withConnection(async (client) => {
      await client.query('BEGIN; SELECT FROM idempotent_requests FOR UPDATE')
      const sent = [create(), create(), create(), create('another-key-of-one')]
      await vi.waitFor(() => expect(inUse()).toBe(1))
      await wait(100)
      expect(inUse()).toBe(1)
      await client.query('COMMIT')
      return sent
    })
    const answers = await Promise.all(waiting)
    expect(answers.map(({ status, headers }) => [status, headers.get('idempotency-replayed')])).toEqual([
      ...Array.from({ length: 3 }, () => [201, 'true']),
      [201, null],
    ])
  })
})

test('59, 60: an application waits for one name server at a time, by developer API, admin API and pages together', async () => {
  const [{ clientId: slow }, { clientId: other }] = [await server.partner(), await server.partner()]
  const [call, otherCall] = [
    developerCaller(server, await newDeveloperKey(server, slow)),
    developerCaller(server, await newDeveloperKey(server, other)),
  ]
  const admin = adminCaller(server, await newKey(server, ['partners:write']))
  const { browser } = await developerWithForms(server, slow, { email: 'slow@partner.example' })
  const form = await browser.get(`${server.authUrl}/developers/apps/${slow}/webhooks/new`)
  const [named, literal] = [{ url: 'https://slow.example/' }, { url: 'https://93.184.216.34/hook' }]
  const { id } = (await call('POST', '/webhooks', literal)).body

  const { requests, answer } = silentNameServer()
  const first = call('POST', '/webhooks', named)
  await vi.waitFor(() => expect(requests()).toBe(1))
  const busy = [
    await call('POST', '/webhooks', literal),
    await call('PATCH', `/webhooks/${id}`, literal),
    await call('POST', `/webhooks/${id}/test`),
    await call('POST', `/webhooks/${id}/replay`, { since: '2026-01-01T00:00:00Z' }),
    await admin('POST', `/partners/${slow}/webhooks`, literal),
  ]
  for (const { status, headers, body } of busy)
    expect([status, headers.get('retry-after'), body.code]).toEqual([429, '1', 'too_many_requests'])
  const page = await browser.postForm(form, `/developers/apps/${slow}/webhooks/new`, literal)
  expect([page.status, page.text]).toEqual([429, expect.stringContaining('in progress')])
  expect(requests()).toBe(1)
  const others = [
    await otherCall('POST', '/webhooks', literal),
    await admin('POST', `/partners/${other}/webhooks`, literal),
    await call('POST', `/webhooks/${id}/disable`),
  ]
  expect(others.map(({ status }) => status)).toEqual([201, 201, 200])
  answer()
  expect((await first).status).toBe(201)
  expect((await admin('PATCH', `/partners/${slow}/webhooks/${id}`, literal)).status).toBe(200)
})

test('60, 93: searches of one application leave the connections for searches to others, in API and pages together', async () => {
  const { clientId: busy } = await server.partner()
  const call = developerCaller(server, await newDeveloperKey(server, busy, 'admin'))
  const { browser } = await developerOfApp(server, busy)
  let release = () => {}
  let running = 0
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { developerReadLimiter: limiter } = server.context
  const hold = (app: string) =>
    limiter.admit(app, () => {
      running += 1
      return held
    })
  for (let n = 0; n < 4; n++) void hold(busy)
  await vi.waitFor(() => expect(running).toBe(1))
  const reads = ['/requests?status=refused', '/requests/x', '/grants', '/webhook-messages']
  for (const path of [...reads, '/going-live', '/use?range=30d', '/deprecated-calls']) {
    const { status, headers, body } = await call('GET', path)
    expect([path, status, headers.get('retry-after'), body.code]).toEqual([path, 503, '2', 'unavailable'])
  }
  for (const path of [
    '',
    '/requests',
    '/grants',
    '/grants/1',
    '/webhooks/messages',
    '/webhooks/1',
    '/going-live',
    '/deprecated',
  ]) {
    const page = await browser.get(`${server.authUrl}/developers/apps/${busy}${path}`)
    expect([path, page.status, page.text]).toEqual([
      path,
      503,
      expect.stringContaining('Try again in a few seconds'),
    ])
  }
  const other = developerCaller(server, await newDeveloperKey(server, clientId, 'viewer'))
  expect((await other('GET', '/grants')).status).toBe(200)
  void hold('second')
  void hold('third')
  await vi.waitFor(() => expect(running).toBe(2))
  release()
  await vi.waitFor(() => expect(limiter.inProgress()).toBe(0))
  expect((await call('GET', '/grants')).status).toBe(200)
})

/** Name servers that do not answer until `answer`, or until the test ends. */
function silentNameServer() {
  let release = (_addresses: string[]) => {}
  const answers = new Promise<string[]>((resolve) => {
    release = resolve
  })
  const mocked = [
    vi.spyOn(Resolver.prototype, 'resolve4').mockImplementation(() => answers),
    vi.spyOn(Resolver.prototype, 'resolve6').mockRejectedValue(new Error('no address')),
  ] as const
  const answer = () => {
    release(['93.184.216.34'])
    for (const mock of mocked) mock.mockRestore()
  }
  onTestFinished(answer)
  return { requests: () => mocked[0].mock.calls.length, answer }
}

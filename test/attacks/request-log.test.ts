import { describe, expect, test, vi } from 'vitest'
import { listRequests } from '../../src/request-log/requests.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { query } from '../support/database.ts'
import { explained } from '../support/explain.ts'
import { serverFixture } from '../support/fixtures.ts'

const server = await serverFixture({ users: ['ada'], households: ['h1'] })
const { database } = server
const { requestLog } = server.context
if (!requestLog) throw new Error('there is no request log')
await requestLog.stop()

/** All text in the log after so many calls. */
async function logged(calls: number): Promise<string> {
  const rows = await vi.waitFor(async () => {
    await requestLog?.write()
    const found = await query(
      database,
      'SELECT l.*, k.* FROM request_log l JOIN request_kinds k ON k.id = kind_id',
    )
    expect(found.length).toBeGreaterThanOrEqual(calls)
    return found
  })
  return JSON.stringify(rows)
}

describe('text of the caller', () => {
  test('83: secrets, tokens, addresses and names of parameters do not get into the request log', async () => {
    const accessToken = await accessTokenOf(database, 'ada')
    const canary = 'canary-7f3a'
    const base = server.baseUrl
    const get = (path: string, headers: Record<string, string> = {}) => fetch(`${base}${path}`, { headers })
    const post = (path: string, body: string, type = 'application/x-www-form-urlencoded') =>
      fetch(`${base}${path}`, { method: 'POST', headers: { 'content-type': type }, body })
    await get(`api/v1/households?name_pattern=${canary}`, { authorization: `Bearer ${accessToken}` })
    await get(`api/v1/households?page=${canary}`, { authorization: `Bearer ${accessToken}` })
    await get(`api/v1/households/${canary}/accounts`, { authorization: `Bearer ${accessToken}` })
    await get('api/v1/households', { authorization: `Bearer lk_test_at_${canary}` })
    await get(`api/v1/${canary}`)
    await post(
      'oauth2/token',
      `grant_type=refresh_token&refresh_token=${canary}&client_id=${canary}&client_secret=${canary}`,
    )
    await post(`oauth2/token?client_secret=${canary}`, '')
    await post('oauth2/token', `{"code":"${canary}"`, 'application/json')
    await post('oauth2/token', canary, `text/${canary}`)
    const text = await logged(9)
    expect(text).not.toContain(canary)
    expect(text).not.toContain(accessToken)
  })

  test('83: a request id cannot forge a row or a line: only safe characters are kept, and every match is listed', async () => {
    const forged = `x","status":200,"route":"forged`
    await fetch(`${server.baseUrl}api/v1/households`, { headers: { 'x-api-request-id': forged } })
    for (let n = 0; n < 2; n++)
      await fetch(`${server.baseUrl}api/v1/households`, { headers: { 'x-api-request-id': 'same-id' } })
    expect(await logged(12)).not.toContain('forged')
    const found = await listRequests(
      database,
      server.baseUrl,
      { requestId: 'same-id' },
      { after: null, limit: 10 },
    )
    expect(found).toMatchObject({ requests: [{ authenticated: false }, { authenticated: false }] })
  })

  test('83: a caller who only names a partner does not count as the partner', async () => {
    const { clientId } = await server.partner()
    await fetch(`${server.baseUrl}oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'x',
        client_id: clientId,
        client_secret: `lk_test_cs_${'a'.repeat(49)}`,
      }),
    })
    await logged(13)
    const found = await listRequests(database, server.baseUrl, { clientId }, { after: null, limit: 10 })
    if (found.kind === 'refused') throw new Error(found.reason)
    expect(found.requests.every(({ authenticated }) => !authenticated)).toBe(true)
  })
})

test('83: a flood of strangers does not fill the log: 1,000 unauthenticated calls a minute are kept', async () => {
  const before = (await query(database, 'SELECT FROM request_log')).length
  const at = (Math.floor(Date.now() / 60_000) + 10) * 60_000
  const call = {
    ms: 1,
    requestId: 'flood',
    method: 'GET',
    route: '/flood',
    status: 401,
    code: '',
    outcome: '',
  }
  const stranger = { ...call, at, authenticated: false, grantId: null, clientId: null, detail: null }
  // One source has 100 places, and all together have 1,000.
  for (let n = 0; n < 5000; n++) requestLog.add(stranger, `203.0.113.${n % 50}`)
  requestLog.add({ ...stranger, authenticated: true, grantId: '1' }, '203.0.113.1')
  await requestLog.write()
  expect((await query(database, 'SELECT FROM request_log')).length).toBe(before + 1001)
  expect(server.logs()).toContain('"event":"request_log","outcome":"dropped","calls":4000')
})

test('83: one source that floods does not hide the refused calls of others', async () => {
  const at = (Math.floor(Date.now() / 60_000) + 20) * 60_000
  const call = { ms: 1, method: 'GET', route: '/flood', status: 401, code: '', outcome: '', detail: null }
  const stranger = {
    ...call,
    at,
    authenticated: false,
    grantId: null,
    clientId: null,
    requestId: 'one-source',
  }
  for (let n = 0; n < 5000; n++) requestLog.add(stranger, '203.0.113.9')
  requestLog.add({ ...stranger, requestId: 'hidden?' }, '198.51.100.1')
  await requestLog.write()
  expect(await query(database, `SELECT FROM request_log WHERE request_id = 'one-source'`)).toHaveLength(100)
  expect(await query(database, `SELECT FROM request_log WHERE request_id = 'hidden?'`)).toHaveLength(1)
})

test('83: neither refused calls of strangers nor calls that were answered slow down the list of the refused calls of a partner', async () => {
  const { clientId } = await server.partner()
  await accessTokenOf(database, 'ada', { clientId })
  await query(
    database,
    `INSERT INTO request_log (at, kind_id, ms, status, request_id, grant_id)
     SELECT now() - make_interval(secs => n), (SELECT min(id) FROM request_kinds), 1, CASE WHEN n = 20000 THEN 403 ELSE status END, 'many',
            CASE WHEN status = 200 OR n = 20000 THEN id END
       FROM generate_series(1, 20000) n, unnest(ARRAY[200, 401]) status, grants WHERE client_id = $1`,
    [clientId],
  )
  await query(database, 'VACUUM ANALYZE request_log')
  const page = { after: null, limit: 10 }
  const [plan] = await explained(database, 'expensive', async (expensive) => {
    const filter = { clientId, status: 'refused' }
    const found = await listRequests({ ...database, expensive }, server.baseUrl, filter, page)
    expect(found).toMatchObject({ requests: [{ status: 403 }, { status: 403 }] })
  })
  expect(plan?.pages).toBeLessThan(100)
})

test('83: a flood that the database cannot take fills no more memory than 20,000 calls', async () => {
  await query(database, 'ALTER TABLE request_log RENAME TO gone')
  const call = {
    ms: 1,
    requestId: 'burst',
    method: 'GET',
    route: '/burst',
    status: 200,
    code: '',
    outcome: '',
  }
  const genuine = { ...call, at: Date.now(), authenticated: true, grantId: '1', clientId: null, detail: null }
  for (let n = 0; n < 30_000; n++) requestLog.add(genuine, '203.0.113.1')
  await requestLog.write()
  await query(database, 'ALTER TABLE gone RENAME TO request_log')
  await requestLog.write()
  expect(await query(database, `SELECT FROM request_log WHERE request_id = 'burst'`)).toHaveLength(20_000)
})

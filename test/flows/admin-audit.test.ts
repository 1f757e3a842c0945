import { expect, test } from 'vitest'
import { adminCaller, newKey } from '../support/admin.ts'
import { chainAll } from '../support/audit.ts'
import { serverFixture } from '../support/fixtures.ts'

const server = await serverFixture()
const key = await newKey(server, ['audit:read', 'partners:write'])
const call = adminCaller(server, key)
const began = new Date().toISOString()
const partner = await call('POST', '/partners', {
  name: 'Recorded',
  redirect_uris: ['https://partner.example/callback'],
})
const { client_id: clientId } = partner.body
await call('POST', `/partners/${clientId}/suspend`, undefined, { 'x-api-request-id': 'incident-7' })
await call('POST', `/partners/${clientId}/resume`)

test('records are found by whom they are about, by event, request, actor and time, the newest first', async () => {
  const events = async (filter: string) =>
    (await call('GET', `/audit?${filter}`)).body.data.map(({ event }: { event: string }) => event)
  expect(await events(`client_id=${clientId}`)).toEqual([
    'partner.resumed',
    'partner.suspended',
    'partner.created',
  ])
  expect(await events('request_id=incident-7')).toEqual(['partner.suspended'])
  expect(await events(`event=partner.created&since=${began}`)).toEqual(['partner.created'])
  expect(await events(`until=${began}&client_id=${clientId}`)).toEqual([])
  const [record] = (await call('GET', '/audit?request_id=incident-7')).body.data
  expect(record).toMatchObject({
    actor_kind: 'api_key',
    actor_name: 'Test',
    via: 'admin_api',
    address: '127.0.0.1',
    target_kind: 'partner',
    target_id: clientId,
    details: { before: { status: 'active' }, after: { status: 'suspended' } },
  })
  expect(await events(`actor_id=${record.actor_id}&target_kind=partner`)).toHaveLength(3)
})

test('the list has pages', async () => {
  const first = await call('GET', `/audit?client_id=${clientId}&limit=2`)
  expect(first.body.data).toHaveLength(2)
  expect(first.headers.get('link')).toContain(`cursor=${first.body.next_cursor}`)
  const last = await call('GET', `/audit?client_id=${clientId}&limit=2&cursor=${first.body.next_cursor}`)
  expect(last.body).toMatchObject({ data: [{ event: 'partner.created' }], next_cursor: null })
  expect(await call('GET', '/audit?since=yesterday')).toMatchObject({ status: 400 })
  expect(await call('GET', '/audit?since=2026-06-30T23:59:60Z')).toMatchObject({ status: 400 })
})

test('an export has a line for each chained record, and is recorded', async () => {
  await chainAll(server.database)
  const response = await fetch(`${server.authUrl}/admin/v1/audit/exports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ since: began }),
  })
  expect(response.headers.get('content-type')).toBe('application/x-ndjson')
  const lines = (await response.text()).trim().split('\n')
  expect(lines).toHaveLength(3)
  for (const line of lines) expect(line).toContain(clientId)
  expect((await call('GET', '/audit?event=audit.exported')).body.data).toMatchObject([{ via: 'admin_api' }])
})

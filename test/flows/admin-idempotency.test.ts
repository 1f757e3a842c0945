import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { adminCaller, newKey } from '../support/admin.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'

const server = await serverFixture()
const call = adminCaller(server, await newKey(server, ['partners:write']))
const body = (name: string) => ({ name, redirect_uris: ['https://partner.example/callback'] })
const create = (name: string, key: string, by = call) =>
  by('POST', '/partners', body(name), { 'idempotency-key': key })
const countOf = async (name: string) =>
  (await query(server.database, 'SELECT FROM partners WHERE name = $1', [name])).length

test('a repeated request is carried out once, and its answer has no secret', async () => {
  const key = randomUUID()
  const first = await create('Once', key)
  expect(first).toMatchObject({ status: 201, body: { client_secret: expect.any(String) } })
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  const again = await create('Once', key)
  const { client_secret: _, ...shown } = first.body
  expect([again.status, again.body]).toEqual([201, shown])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(await countOf('Once')).toBe(1)
  const stored = JSON.stringify(await query(server.database, 'SELECT * FROM idempotent_requests'))
  expect(stored).not.toContain(first.body.client_secret)
  expect(stored).not.toContain(key)
})

test('of many requests at the same time, one is carried out', async () => {
  const key = randomUUID()
  const answers = await Promise.all(Array.from({ length: 8 }, () => create('Race', key)))
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
  expect(new Set(answers.map(({ body }) => body.client_id)).size).toBe(1)
  expect(answers.filter(({ body }) => 'client_secret' in body)).toHaveLength(1)
  expect(await countOf('Race')).toBe(1)
})

test('57: another body or another path with the same key is refused, and another actor has other keys', async () => {
  const key = randomUUID()
  const made = await create('Mine', key)
  expect(await create('Other', key)).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
  const rotate = `/partners/${made.body.client_id}/secrets`
  expect(await call('POST', rotate, {}, { 'idempotency-key': key })).toMatchObject({
    status: 422,
    body: { code: 'idempotency_key_reused' },
  })
  expect(await countOf('Other')).toBe(0)
  const other = adminCaller(server, await newKey(server, ['partners:write']))
  expect(await create('Mine', key, other)).toMatchObject({
    status: 201,
    body: { client_secret: expect.any(String) },
  })
})

test('a request that was refused can be corrected with the same key', async () => {
  const key = randomUUID()
  const headers = { 'idempotency-key': key }
  const wrong = await call(
    'POST',
    '/partners',
    { ...body('Wrong'), redirect_uris: ['http://partner.example'] },
    headers,
  )
  expect(wrong).toMatchObject({ status: 422, body: { code: 'invalid_content' } })
  expect((await create('Wrong', key)).status).toBe(201)
})

test('after 24 hours, a key is new again; a text that cannot be a key is refused', async () => {
  const key = randomUUID()
  await create('Old', key)
  await query(server.database, "UPDATE idempotent_requests SET created_at = now() - interval '25 hours'")
  expect(await create('New', key)).toMatchObject({ status: 201, body: { name: 'New' } })
  expect(await create('Short', 'x')).toMatchObject({ status: 400, body: { code: 'bad_request' } })
})

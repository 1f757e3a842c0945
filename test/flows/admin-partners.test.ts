import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { adminCaller, newKey } from '../support/admin.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { png } from '../support/pictures.ts'

const server = await serverFixture({ users: [{ id: 'ada' }, { id: 'bob' }] })
const call = adminCaller(server, await newKey(server, ['partners:write']))
const redirect = 'https://partner.example/callback'

test('a partner from its registration to its deletion', async () => {
  const made = await call('POST', '/partners', { name: 'Ledger', redirect_uris: [redirect] })
  expect(made).toMatchObject({ status: 201, body: { name: 'Ledger', live_secrets: 1 } })
  const { client_id: id, client_secret: secret } = made.body
  expect(made.headers.get('location')).toBe(`${server.authUrl}/admin/v1/partners/${id}`)
  const shown = (await call('GET', `/partners/${id}`)).body
  expect(shown).toEqual({ ...made.body, client_secret: undefined })

  const changed = await call('PATCH', `/partners/${id}`, {
    name: 'Ledger Pro',
    logo: png(64, 64).toString('base64'),
    limits: { requests_per_minute: 100 },
    grant_lifetime_days: 90,
  })
  expect(changed.body).toMatchObject({
    name: 'Ledger Pro',
    logo: expect.stringMatching(/\.png$/),
    limits: { requests_per_minute: 100 },
    grant_lifetime_days: 90,
  })
  expect(
    (await call('PATCH', `/partners/${id}`, { logo: null, limits: { requests_per_minute: null } })).body,
  ).toMatchObject({ logo: null, limits: {} })

  const rotated = await call('POST', `/partners/${id}/secrets`, {})
  expect(rotated).toMatchObject({ status: 201, body: { live_secrets: 2 } })
  const partner = { clientId: id, clientSecret: rotated.body.client_secret, redirectUri: redirect }
  await tokensFor(server, { ...partner, clientSecret: secret }, 'ada')
  await tokensFor(server, partner, 'bob')

  expect((await call('POST', `/partners/${id}/suspend`)).body).toMatchObject({ status: 'suspended' })
  expect((await call('POST', `/partners/${id}/resume`)).body).toMatchObject({ status: 'active' })

  const consequences = { client_id: id, name: 'Ledger Pro', connected_users: 2, connections: 2 }
  expect((await call('GET', `/partners/${id}/deletion`)).body).toEqual(consequences)
  expect(await call('DELETE', `/partners/${id}?connected_users=1`)).toMatchObject({
    status: 409,
    body: { code: 'conflict', detail: expect.stringContaining('2 users are connected now') },
  })
  expect(await call('DELETE', `/partners/${id}?connected_users=2`)).toMatchObject({
    status: 200,
    body: consequences,
  })
  expect(await call('GET', `/partners/${id}`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  const trace = await query(
    server.database,
    "SELECT event, count(*)::int AS rows FROM audit_log WHERE client_id = $1 AND via = 'admin_api' GROUP BY event ORDER BY event",
    [id],
  )
  expect(trace).toEqual([
    { event: 'grant.revoked', rows: 2 },
    { event: 'partner.created', rows: 1 },
    { event: 'partner.deleted', rows: 1 },
    { event: 'partner.resumed', rows: 1 },
    { event: 'partner.secret_rotated', rows: 1 },
    { event: 'partner.suspended', rows: 1 },
    { event: 'partner.updated', rows: 2 },
  ])
})

test('the list has pages and a filter', async () => {
  for (const name of ['One', 'Two', 'Three']) await server.partner({ name })
  const first = await call('GET', '/partners?limit=2')
  expect(first.body.data).toHaveLength(2)
  expect(first.headers.get('link')).toBe(
    `<${server.authUrl}/admin/v1/partners?limit=2&cursor=${first.body.next_cursor}>; rel="next"`,
  )
  const rest = await call('GET', `/partners?limit=2&cursor=${first.body.next_cursor}`)
  expect(rest.body).toMatchObject({ data: [{}], next_cursor: null })
  expect((await call('GET', '/partners?status=suspended')).body.data).toEqual([])
})

const foreignSecret = 'a-secret-of-the-previous-service-0123456789'
const hashOf = (secret: string) => `sha256:${createHash('sha256').update(secret).digest('hex')}`

test('a partner of another service keeps its client id and secret', async () => {
  const taken = {
    name: 'Old',
    redirect_uris: [redirect],
    client_id: 'acme-books.prod',
    secret_hash: hashOf(foreignSecret),
  }
  const made = await call('POST', '/partners', taken)
  expect(made).toMatchObject({ status: 201, body: { client_id: 'acme-books.prod', live_secrets: 1 } })
  expect(made.body).not.toHaveProperty('client_secret')
  const partner = { clientId: 'acme-books.prod', clientSecret: foreignSecret, redirectUri: redirect }
  await tokensFor(server, partner, 'ada')
  expect(await call('POST', '/partners', taken)).toMatchObject({ status: 409, body: { code: 'conflict' } })

  const rotated = await call('POST', '/partners/acme-books.prod/secrets', { end_others: true })
  await tokensFor(server, { ...partner, clientSecret: rotated.body.client_secret }, 'bob')
  await expect(tokensFor(server, partner, 'ada')).rejects.toThrow()
})

test.each([
  ['a hash for passwords', { secret_hash: '$2b$12$abcdefghijklmnopqrstuv' }, 'one for passwords'],
  ['another digest', { secret_hash: 'md5:d41d8cd98f00b204e9800998ecf8427e' }, 'must be sha256:'],
  [
    'a client id of the other environment',
    { client_id: 'live_0123456789ABCDEFGHIJKL' },
    'belongs to production',
  ],
  ['a secret as client id', { client_id: 'lk_test_cs_0123' }, 'must not begin with lk_'],
  ['a hash without a client id', { client_id: undefined }, 'send client_id too'],
])('what cannot be taken over is refused with the reason: %s', async (_what, wrong, reason) => {
  const body = {
    name: 'Old',
    redirect_uris: [redirect],
    client_id: 'old-partner',
    secret_hash: hashOf(foreignSecret),
  }
  expect(await call('POST', '/partners', { ...body, ...wrong })).toMatchObject({
    status: 422,
    body: { code: 'invalid_content', detail: expect.stringContaining(reason) },
  })
})

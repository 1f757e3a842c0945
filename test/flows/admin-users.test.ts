import { expect, test } from 'vitest'
import { adminCaller, newKey } from '../support/admin.ts'
import { tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { taken } from '../support/import.ts'
import { withSession } from '../support/sessions.ts'

const server = await serverFixture({ users: [{ id: 'ada' }, { id: 'bob' }] })
const call = adminCaller(
  server,
  await newKey(server, ['users:write', 'grants:write', 'settings:write', 'directory:read']),
)

test('a user is added, invited, disabled and enabled', async () => {
  const { firm_id, role } = (await call('GET', '/users/ada')).body
  const eve = { id: 'eve', firm_id, role, email: 'Eve@Platform.example', name: 'Eve' }
  const made = await call('POST', '/users', eve)
  expect(made).toMatchObject({ status: 201, body: { ...eve, status: 'active', has_password: false } })
  expect(await call('POST', '/users', eve)).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect(
    await call('POST', '/users', { ...eve, id: 'eve2', email: 'e2@platform.example', firm_id: 'none' }),
  ).toMatchObject({
    status: 422,
    body: { code: 'invalid_content', detail: 'Nothing was changed: there is no firm "none".' },
  })
  const invited = await call('POST', '/users/eve@platform.example/invitations')
  expect(invited).toMatchObject({ status: 201, body: { id: 'eve', mailed_to: null } })
  expect(invited.body.link).toMatch(/^http/)
  expect((await call('POST', '/users/eve/disable')).body).toMatchObject({
    status: 'disabled',
    sessions_ended: 0,
  })
  expect(await call('POST', '/users/eve/invitations')).toMatchObject({ status: 409 })
  expect((await call('POST', '/users/eve/enable')).body).toMatchObject({ status: 'active' })
  expect((await call('GET', '/users?limit=1')).body.data).toMatchObject([{ id: 'ada' }])
  expect((await call('GET', '/users?status=disabled')).body.data).toEqual([])
  expect((await call('DELETE', '/users/eve/factors')).body).toMatchObject({
    id: 'eve',
    passkeys: 0,
    totp: false,
  })
  expect(await call('GET', '/users/nobody')).toMatchObject({ status: 404 })
})

test('the sessions of a user are listed and ended', async () => {
  for (let n = 0; n < 3; n++) await withSession(server, 'ada')
  const { data } = (await call('GET', '/users/ada/sessions')).body
  expect(data).toHaveLength(3)
  expect((await call('DELETE', `/users/ada/sessions/${data[0].id}`)).body).toEqual({
    id: 'ada',
    sessions_ended: 1,
  })
  expect(await call('DELETE', `/users/ada/sessions/${data[0].id}`)).toMatchObject({ status: 404 })
  expect((await call('DELETE', '/users/ada/sessions')).body).toEqual({ id: 'ada', sessions_ended: 2 })
})

test('grants are listed, filtered and ended', async () => {
  const [one, two] = [await server.partner({ name: 'One' }), await server.partner({ name: 'Two' })]
  await tokensFor(server, one, 'ada')
  const { accessToken } = await tokensFor(server, two, 'ada')
  await tokensFor(server, two, 'bob')
  const page = (await call('GET', '/grants?limit=2')).body
  const rest = (await call('GET', `/grants?limit=2&cursor=${page.next_cursor}`)).body
  expect([...page.data, ...rest.data]).toHaveLength(3)
  const [grant] = (await call('GET', `/grants?user=ada&client_id=${two.clientId}`)).body.data
  expect(grant).toMatchObject({ user_id: 'ada', partner_name: 'Two', revoked_at: null })
  expect(await call('DELETE', `/grants/${grant.id}`)).toMatchObject({ status: 204, body: undefined })
  expect((await call('GET', `/grants/${grant.id}`)).body).toMatchObject({ revoked_by: 'operator' })
  expect(await call('DELETE', `/grants/${grant.id}`)).toMatchObject({ status: 404 })
  expect((await call('GET', '/grants?ended=true')).body.data).toHaveLength(3)
  const read = await fetch(`${server.baseUrl}api/v2/households`, {
    headers: { authorization: `Bearer ${accessToken}` },
  })
  expect(read.status).toBe(401)
  expect((await call('POST', '/grant-lifetimes', {})).body).toEqual({ limited: 0 })
})

test('there is no identity provider', async () => {
  expect((await call('GET', '/providers')).body).toEqual({ data: [] })
  expect(await call('GET', '/providers/okta')).toMatchObject({ status: 404 })
  expect(await call('POST', '/providers/okta/test')).toMatchObject({ status: 404 })
})

test('past imports are listed with counts and digests', async () => {
  await taken(server.database, { 'firms.csv': 'id,name\nlong-meadow,Long Meadow\n' })
  await taken(server.database, { 'firms.csv': 'id,name\nlong-meadow,Longer Meadow\n' })
  const { data } = (await call('GET', '/imports')).body
  expect(data).toMatchObject([
    {
      files: { 'firms.csv': { changed: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    },
    { files: { 'firms.csv': { added: 1 } }, pruned: false },
  ])
  const page = (await call('GET', '/imports?limit=1')).body
  expect((await call('GET', `/imports?limit=1&cursor=${page.next_cursor}`)).body).toEqual({
    data: [data[1]],
    next_cursor: null,
  })
})

import { expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import type { Database } from '../../src/database/database.ts'
import { scopes } from '../../src/operators/scopes.ts'
import { replacePartnerKeys, rotatePartnerSecret } from '../../src/partners/partners.ts'
import { adminCaller, newKey } from '../support/admin.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { addOperator, newOperator } from '../support/operators.ts'
import { png } from '../support/pictures.ts'

const server = await serverFixture({ users: [{ id: 'ada' }] })
const call = adminCaller(server, await newKey(server, [...scopes]))
const { browser } = await newOperator(server)

test('57: a body that is nested very deeply is refused, and is no fault of the server', async () => {
  const depth = 20_000
  const jwks = `{"jwks":${'{"keys":'.repeat(depth)}1${'}'.repeat(depth)}}`
  for (const [method, path] of [
    ['PUT', '/partners/x/keys'],
    ['POST', '/partners'],
  ]) {
    const answer = await fetch(`${server.authUrl}/admin/v1${path}`, {
      method: method ?? '',
      headers: {
        authorization: `Bearer ${await newKey(server, ['partners:write'])}`,
        'content-type': 'application/json',
      },
      body: path === '/partners' ? jwks.replace('{', '{"name":"x","redirect_uris":[],') : jwks,
    })
    expect([400, 413]).toContain(answer.status)
  }
  const shallow = `{"keys":${'['.repeat(60)}1${']'.repeat(60)}}`
  expect(await call('PUT', '/partners/x/keys', { jwks: JSON.parse(shallow) })).toMatchObject({ status: 400 })
})

test('57: a key without all scopes makes no operator who may do more, and gets no link of one', async () => {
  const { id } = await addOperator(server, { email: 'owner@platform.example', role: 'owner' })
  const weak = adminCaller(server, await newKey(server, ['operators:write']))
  const operator = { email: 'mine@evil.example', name: 'Mine', role: 'owner' }
  const answers = [
    await weak('POST', '/operators', operator),
    await weak('POST', '/operators', { ...operator, role: 'read_only' }),
    await weak('PATCH', `/operators/${id}`, { email: 'mine@evil.example' }),
    await weak('POST', `/operators/${id}/reset`),
    await weak('DELETE', `/operators/${id}`),
  ]
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
    answers.map(() => [403, 'insufficient_scope']),
  )
})

test('57: the last owner stays, also by API', async () => {
  await query(
    server.database,
    `UPDATE operators SET status = 'disabled' WHERE email = 'owner@platform.example'`,
  )
  const { body } = await call('GET', '/operators')
  const [last] = body.data.filter(
    ({ role, status }: Record<string, string>) => role === 'owner' && status === 'active',
  )
  expect(await call('DELETE', `/operators/${last.id}`)).toMatchObject({ status: 409 })
  expect(await call('PATCH', `/operators/${last.id}`, { role: 'support' })).toMatchObject({ status: 422 })
})

test('57: a partner that is deleted during a change is unknown, and no fault of the server', async () => {
  const { clientId } = await server.partner()
  const deleting: Database = {
    ...server.database,
    async maybe(statement, values) {
      const row = await server.database.maybe(statement, values)
      if (statement.name === 'find_partner') await call('DELETE', `/partners/${clientId}?connected_users=0`)
      return row
    },
  }
  expect(await rotatePartnerSecret(deleting, systemOrigin, 'sandbox', clientId, false)).toEqual({
    kind: 'unknown',
  })
  expect(await replacePartnerKeys(deleting, systemOrigin, clientId, '{}')).toMatchObject({ kind: 'unknown' })
})

test('57: what is no picture is not a logo', async () => {
  const { clientId } = await server.partner()
  const address = `${server.authUrl}/admin/partners/${clientId}/logo`
  const path = `/admin/partners/${clientId}/logo`
  const page = await browser.get(address)
  const answers = [
    await browser.postForm(page, path, { logo: new Blob(['<svg xmlns="http://www.w3.org/2000/svg"/>']) }),
    await browser.postForm(page, path, { logo: new Blob([]) }),
    await browser.postForm(page, path, { logo: 'text' }),
    await browser.postForm(page, path, { logo: new Blob([Buffer.alloc(400_000)]) }),
    await browser.postForm(page, path, { _csrf: 'wrong', logo: new Blob([new Uint8Array(png(64))]) }),
    await browser.post(address, '--x', { 'content-type': 'multipart/form-data; boundary=y' }),
    await browser.post(address, 'x', { 'content-type': 'multipart/form-data' }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 413, 403, 400, 400])
  expect((await call('GET', `/partners/${clientId}`)).body.logo).toBeNull()
})

test('a list of the console has a text, filters and pages together', async () => {
  for (let n = 0; n < 60; n++) await server.partner({ name: `Paged ${n}` })
  await query(
    server.database,
    `UPDATE partners SET status = 'suspended' WHERE name IN ('Paged 1', 'Paged 2')`,
  )
  const rows = async (search: string) => {
    const page = await browser.get(`${server.authUrl}/admin/partners?${search}`)
    const next = page.document.querySelector('a[rel=next]')?.getAttribute('href')
    return { count: page.document.querySelectorAll('tbody tr').length, next }
  }
  expect(await rows('q=paged&status=suspended')).toEqual({ count: 2, next: undefined })
  const first = await rows('q=PAGED&status=active')
  const rest = await rows(first.next?.split('?')[1] ?? '')
  expect([first.count + rest.count, rest.next]).toEqual([58, undefined])
})

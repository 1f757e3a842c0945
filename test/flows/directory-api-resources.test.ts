import { beforeEach, describe, expect, test } from 'vitest'
import { adminCaller, newKey } from '../support/admin.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { emailOf, seed } from '../support/directory.ts'
import { ann, base, directoryCaller, remove, upsert } from '../support/directory-api.ts'
import { serverFixture } from '../support/fixtures.ts'
import { addSession, emptyDirectory } from '../support/import.ts'
import { api } from '../support/journey.ts'

const server = await serverFixture()
const { database } = server
const key = await newKey(server, ['directory:write'])
const call = adminCaller(server, key)
const send = directoryCaller(server, key)

beforeEach(() => emptyDirectory(database))

describe('users', () => {
  test('whom the operator disabled stay disabled, and the answer names them', async () => {
    await send(base)
    await query(database, `UPDATE users SET status = 'disabled', disabled_by_operator_at = now()`)
    expect((await send([upsert('user', ann)])).body).toMatchObject({
      kept_disabled: ['u1'],
      changed_at: null,
    })
    expect((await call('GET', '/directory/users/u1')).body).toMatchObject({
      status: 'disabled',
      disabled_by_operator_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })

  test('keep their password if the row has none, and a new one ends their sessions', async () => {
    await send([
      ...base.filter(({ type }) => type !== 'user'),
      upsert('user', { ...ann, password: 'first-password' }),
    ])
    const hash = async () =>
      (await query<{ password_hash: string }>(database, 'SELECT password_hash FROM users'))[0]?.password_hash
    const first = await hash()
    await addSession(database, 'u1')
    await send([upsert('user', { ...ann, name: 'Renamed' })])
    await send([upsert('user', { ...ann, password: 'first-password' })])
    expect(await hash()).toBe(first)
    expect(await query(database, 'SELECT FROM sessions')).toHaveLength(1)
    await send([upsert('user', { ...ann, password: 'second-password' })])
    expect(await hash()).not.toBe(first)
    expect(await query(database, 'SELECT FROM sessions')).toEqual([])
  })

  test('may swap their addresses, and take that of a deleted user', async () => {
    const bob = { ...ann, id: 'u2', email: 'bob@example.com' }
    await send([...base, upsert('user', bob)])
    await send([upsert('user', { ...ann, email: bob.email }), upsert('user', { ...bob, email: ann.email })])
    await send([remove('user', { id: 'u2' }), upsert('user', { ...bob, id: 'u3', email: ann.email })])
    expect(await query(database, 'SELECT id, email_folded FROM users ORDER BY id')).toEqual([
      { id: 'u1', email_folded: 'bob@example.com' },
      { id: 'u3', email_folded: 'ann@example.com' },
    ])
  })

  test('who move to another firm lose their grants with the next call; the change has one audit record', async () => {
    await seed(database, { users: ['ada'], households: [{ id: 'h1', firm: 'firm-1' }] })
    const partner = await server.partner()
    const { accessToken: token } = await tokensFor(server, partner, 'ada')
    expect((await api(server, 'households', token)).status).toBe(200)
    const user = {
      id: 'ada',
      firm_id: 'f2',
      email: emailOf('ada'),
      name: 'Ada',
      role: 'sees-firm',
      status: 'active',
    }
    const { status } = await send([upsert('firm', { id: 'f2', name: 'Second' }), upsert('user', user)])
    expect(status).toBe(200)
    expect((await api(server, 'households', token)).status).toBe(401)
    expect(
      await query(
        database,
        `SELECT event, actor_kind, via, user_id, details->'ids' AS ids FROM audit_log
          WHERE user_id = 'ada' AND via = 'admin_api' ORDER BY event`,
      ),
    ).toEqual([
      {
        event: 'directory.changed',
        actor_kind: 'api_key',
        via: 'admin_api',
        user_id: 'ada',
        ids: { firm: ['f2'], user: ['ada'] },
      },
      expect.objectContaining({ event: 'grant.revoked' }),
      expect.objectContaining({ event: 'user.moved_firm' }),
    ])
  })
})

describe('one resource', () => {
  test('is created, read, replaced and deleted', async () => {
    await send(base)
    const { id, ...fields } = ann
    const made = await call('PUT', '/directory/users/u2', { ...fields, email: 'u2@x.example' })
    expect(made).toMatchObject({
      status: 201,
      body: { id: 'u2', source: 'api', disabled_by_operator_at: null },
    })
    expect(made.headers.get('location')).toBe(`${server.authUrl}/admin/v1/directory/users/u2`)
    expect(
      await call('PUT', '/directory/users/u2', { ...fields, email: 'u2@x.example', name: 'B' }),
    ).toMatchObject({ status: 200, body: { name: 'B' } })
    expect((await call('GET', '/directory/users/u1')).body).toEqual({
      ...ann,
      source: 'api',
      disabled_by_operator_at: null,
    })
    expect((await call('DELETE', '/directory/users/u2')).status).toBe(204)
    expect((await call('DELETE', '/directory/users/u2')).status).toBe(404)
    expect((await call('GET', '/directory/users/u2')).status).toBe(404)
    expect(id).toBe('u1')
  })

  test('of every type', async () => {
    await send(base)
    for (const [path, body] of [
      ['firms/f2', { name: 'Second' }],
      ['roles/principal', { sees: 'firm' }],
      ['households/h2', { firm_id: 'f1', name: null }],
      ['accounts/a2', { household_id: 'h1', status: 'active', opened_on: '2020-02-29' }],
      ['access/u1/a2', undefined],
    ] as const) {
      expect((await call('PUT', `/directory/${path}`, body)).status, path).toBe(201)
      expect((await call('GET', `/directory/${path}`)).body, path).toMatchObject({ ...body, source: 'api' })
    }
    expect((await call('GET', '/directory/access?user_id=u1')).body.data).toMatchObject([
      { account_id: 'a1' },
      { account_id: 'a2' },
    ])
    expect((await call('DELETE', '/directory/access/u1/a2')).status).toBe(204)
    expect((await call('DELETE', '/directory/households/h1')).body).toMatchObject({
      status: 409,
      detail:
        'the household "h1" cannot be deleted because the account "a1" refers to it. Nothing was deleted.',
    })
  })

  test('with faults is refused by field', async () => {
    await send(base)
    expect(
      (await call('PUT', '/directory/accounts/a9', { household_id: 'h9', status: 'A' })).body,
    ).toMatchObject({
      status: 422,
      errors: [
        { parameter: 'status', detail: expect.stringContaining('is not a status') },
        { parameter: 'household_id', detail: 'there is no household "h9"' },
      ],
    })
    expect((await call('PUT', '/directory/firms/f9', { nmae: 'x' })).status).toBe(422)
    expect((await call('PUT', '/directory/firms/a%20b', { name: 'x' })).status).toBe(422)
    expect((await call('GET', '/directory/firms/%00')).status).toBe(404)
  })

  test('lists have pages in the order of ids, with filters', async () => {
    await send([
      ...base,
      upsert('firm', { id: 'f2', name: 'x' }),
      ...['b', 'a', 'c'].map((id) => upsert('household', { id, firm_id: 'f2' })),
    ])
    const ids: string[] = []
    let next: string | null = '/directory/households?limit=2'
    while (next !== null) {
      const { body, headers } = await call('GET', next)
      ids.push(...body.data.map((row: { id: string }) => row.id))
      const link: string | undefined = /<.*\/admin\/v1(.*)>/.exec(headers.get('link') ?? '')?.[1]
      expect(link === undefined).toBe(body.next_cursor === null)
      next = link ?? null
    }
    expect(ids).toEqual(['a', 'b', 'c', 'h1'])
    const first = await call('GET', '/directory/households?firm_id=f2&limit=2')
    expect(first.body.data).toMatchObject([{ id: 'a' }, { id: 'b' }])
    const second = await call('GET', `/directory/households?firm_id=f2&cursor=${first.body.next_cursor}`)
    expect(second.body).toMatchObject({ data: [{ id: 'c' }], next_cursor: null })
  })
})

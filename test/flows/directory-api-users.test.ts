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

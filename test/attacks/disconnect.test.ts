import { describe, expect, test } from 'vitest'
import { codeFor, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, authorize, connect, refresh, token } from '../support/journey.ts'
import { answerOf, disconnectPage, loggedIn } from '../support/pages.ts'

const server = await serverFixture({
  users: ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn', 'gus'],
})
const partner = await server.partner()

describe('19: disconnect', () => {
  test('every token of the grant is dead at the next request; tokens of another partner and another user still work', async () => {
    const other = await server.partner({ name: 'Other', redirectUri: 'https://other.example/callback' })
    const first = await tokensFor(server, partner, 'eve')
    const second = await tokensFor(server, partner, 'eve')
    const unredeemed = await codeFor(server, partner, 'eve')
    const others = await tokensFor(server, other, 'eve')
    const bobs = await tokensFor(server, partner, 'bob')
    const status = async (accessToken: string) => (await api(server, 'households', accessToken)).status
    for (const { accessToken: live } of [first, second, others, bobs]) expect(await status(live)).toBe(200)

    const visitor = await loggedIn(server, 'eve')
    const confirmation = await disconnectPage(visitor, server, 'Test Partner')
    for (const { accessToken: live } of [first, second]) expect(await status(live)).toBe(200)
    const done = await visitor.submit(confirmation, '/connections/disconnect', {})
    expect([done.status, done.headers.get('location')]).toEqual([303, '/connections'])

    for (const { accessToken: dead, refreshToken: deadToo } of [first, second]) {
      expect(await status(dead)).toBe(401)
      expect((await refresh(server, partner, deadToo)).body.error).toBe('invalid_grant')
    }
    const redeemed = await token(server, partner, { grant_type: 'authorization_code', code: unredeemed })
    expect(redeemed.body.error).toBe('invalid_grant')
    for (const { accessToken: live } of [others, bobs]) expect(await status(live)).toBe(200)
    expect((await refresh(server, other, others.refreshToken)).status).toBe(200)
    expect((await refresh(server, partner, bobs.refreshToken)).status).toBe(200)
  })

  test('another user’s grant: nothing happens, and the response does not reveal that it exists', async () => {
    const { accessToken } = await tokensFor(server, partner, 'ada')
    const [row] = await query<{ id: string }>(
      server.database,
      `SELECT id FROM grants WHERE user_id = 'ada' AND revoked_at IS NULL`,
    )
    const visitor = await loggedIn(server, 'finn')
    await connect(server, partner, 'finn', {}, visitor)
    const confirmation = await disconnectPage(visitor, server)
    const answers = []
    for (const grant of [row?.id ?? '', '999999999']) {
      const foreignPage = await visitor.get(`${server.authUrl}/connections/disconnect?grant=${grant}`)
      const done = await visitor.submit(confirmation, '/connections/disconnect', { grant })
      answers.push([foreignPage, done].map((page) => [page.status, page.headers.get('location'), page.text]))
    }
    expect(answers[0]).toEqual(answers[1])
    expect((await api(server, 'households', accessToken)).status).toBe(200)
    for (const grant of ['', '-1', '1 OR 1=1', '1e3', '9'.repeat(19)]) {
      const query = new URLSearchParams({ grant })
      expect((await visitor.get(`${server.authUrl}/connections/disconnect?${query}`)).status).toBe(400)
      expect((await visitor.submit(confirmation, '/connections/disconnect', { grant })).status).toBe(400)
    }
  })
})

test('19: a disconnect at the same moment as a prompt=none request wins: no code, and no new grant without consent', async () => {
  const visitor = await loggedIn(server, 'gus')
  await connect(server, partner, 'gus', {}, visitor)
  const silent = await server.database.withConnection(async (client) => {
    await client.query('BEGIN')
    await client.query(`UPDATE grants SET revoked_at = now() WHERE user_id = 'gus'`)
    const silent = authorize(visitor, server, partner, { prompt: 'none' })
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await expect.poll(async () => (await query(server.database, waiting)).length, { timeout: 5000 }).toBe(1)
    await client.query('COMMIT')
    return silent
  })
  expect(answerOf(partner, silent)).toMatchObject({ error: 'consent_required' })
  const live = `SELECT id FROM grants WHERE user_id = 'gus' AND revoked_at IS NULL`
  expect(await query(server.database, live)).toEqual([])
})

import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { rotatePartnerSecret } from '../../src/partners/partners.ts'
import { connectionOf, type Issued, issued, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { movableClock } from '../support/database-clock.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api, refresh, token } from '../support/journey.ts'
import { neverIssued } from '../support/never-issued.ts'
import { testServer } from '../support/server.ts'
import { expectInvalidGrant } from '../support/token-endpoint.ts'

const hour = 3600
const day = 24 * hour

const database = await databaseFixture()
const clock = await movableClock(database)
const server = await serverFixture({ on: database, clock })
const partner = await server.partner()
await seed(server.database, { users: ['ada'] })

async function rotate(refreshToken: string, at = server): Promise<Issued> {
  return issued(await refresh(at, partner, refreshToken))
}

async function statusOf(accessToken: string): Promise<number> {
  return (await api(server, 'households', accessToken)).status
}

describe('25: a failed refresh loses nothing and restores nothing', () => {
  afterEach(() => query(server.database, 'DROP FUNCTION IF EXISTS fail CASCADE'))

  test.each([
    ['the connection cannot be changed', 'CREATE TRIGGER broken AFTER UPDATE ON connections'],
    [
      'the commit fails',
      'CREATE CONSTRAINT TRIGGER broken AFTER UPDATE ON connections DEFERRABLE INITIALLY DEFERRED',
    ],
  ])('%s: 500, nothing consumed, and the same token works afterwards', async (_what, trigger) => {
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    await query(
      server.database,
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken by a test'; END $$`,
    )
    await query(server.database, `${trigger} FOR EACH ROW EXECUTE FUNCTION fail()`)
    const answer = await refresh(server, partner, refreshToken)
    expect(answer).toMatchObject({ status: 500, body: { error: 'server_error' } })
    expect(await connectionOf(server, refreshToken)).toMatchObject({ generation: 1 })
    await query(server.database, 'DROP FUNCTION fail CASCADE')
    expect(await statusOf((await rotate(refreshToken)).accessToken)).toBe(200)
  })

  test('a replay that cannot be recorded gets an error; repeated, it is detected', async () => {
    const first = await tokensFor(server, partner, 'ada')
    const third = await rotate((await rotate(first.refreshToken)).refreshToken)
    await server.passTime(hour)
    await query(
      server.database,
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken by a test'; END $$`,
    )
    await query(
      server.database,
      'CREATE TRIGGER broken BEFORE UPDATE ON connections FOR EACH ROW EXECUTE FUNCTION fail()',
    )
    expect((await refresh(server, partner, first.refreshToken)).status).toBe(500)
    await query(server.database, 'DROP FUNCTION fail CASCADE')
    expect(await connectionOf(server, first.refreshToken)).toMatchObject({ revoked: false })
    expectInvalidGrant(await refresh(server, partner, first.refreshToken), /^Refresh token reuse detected\./)
    expectInvalidGrant(await refresh(server, partner, third.refreshToken), /^Refresh token reuse detected\./)
  })

  test('after a restart a rotated token behaves as before: the same successor, or a replay', async () => {
    const before = await testServer({ on: database, clock })
    const lost = await tokensFor(server, partner, 'ada')
    const lostSuccessor = await rotate(lost.refreshToken, before)
    const stolen = await tokensFor(server, partner, 'ada')
    await rotate((await rotate(stolen.refreshToken, before)).refreshToken, before)
    await before.close()

    const after = await testServer({ on: database, clock })
    expect((await rotate(lost.refreshToken, after)).refreshToken).toBe(lostSuccessor.refreshToken)
    await server.passTime(hour)
    expect((await rotate(lost.refreshToken, after)).refreshToken).not.toBe(lostSuccessor.refreshToken)
    expect(await connectionOf(server, lost.refreshToken)).toMatchObject({ revoked: false, generation: 2 })
    expectInvalidGrant(await refresh(after, partner, stolen.refreshToken), /^Refresh token reuse detected\./)
    await after.close()
    expectInvalidGrant(await refresh(server, partner, stolen.refreshToken), /^Refresh token reuse detected\./)
  })

  test('two servers on one database, in parallel: one successor', async () => {
    const second = await testServer({ on: database, clock })
    onTestFinished(() => second.close())
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => rotate(refreshToken, index % 2 ? server : second)),
    )
    expect(new Set(answers.map((answer) => answer.refreshToken)).size).toBe(1)
    expect(await connectionOf(server, refreshToken)).toMatchObject({ revoked: false, generation: 2 })
  })
})

describe('lifetimes and the state of partner and user', () => {
  test('a refresh token works for 30 days, and then the error says that it has expired', async () => {
    const late = await tokensFor(server, partner, 'ada')
    await server.passTime(70)
    const inTime = await tokensFor(server, partner, 'ada')
    await server.passTime(30 * day - 5)
    expect(await statusOf((await rotate(inTime.refreshToken)).accessToken)).toBe(200)
    expectInvalidGrant(
      await refresh(server, partner, late.refreshToken),
      /^Expired refresh token\. A refresh token is valid for 30 days\.$/,
    )
    expect(await connectionOf(server, late.refreshToken)).toMatchObject({ revoked: false, generation: 1 })
  })

  test('each successor is valid for 30 days', async () => {
    let { refreshToken } = await tokensFor(server, partner, 'ada')
    for (let month = 0; month < 4; month++) {
      await server.passTime(29 * day)
      refreshToken = (await rotate(refreshToken)).refreshToken
    }
    expect((await refresh(server, partner, refreshToken)).status).toBe(200)
  })

  test('an access token works for an hour, and a refresh does not prolong it', async () => {
    const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada')
    await server.passTime(hour - 5)
    expect(await statusOf(accessToken)).toBe(200)
    const next = await rotate(refreshToken)
    await server.passTime(6) // the expiry in the text is rounded up to a second
    expect(await api(server, 'households', accessToken)).toMatchObject({
      status: 401,
      body: { code: 'invalid_token' },
    })
    expect(await statusOf(next.accessToken)).toBe(200)
  })

  test('a suspended partner is refused and loses nothing: its tokens work again when it is resumed', async () => {
    const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada')
    const setStatus = (status: string) =>
      query(server.database, 'UPDATE partners SET status = $1 WHERE client_id = $2', [
        status,
        partner.clientId,
      ])
    await setStatus('suspended')
    const [refused, called] = [await refresh(server, partner, refreshToken), await statusOf(accessToken)]
    await setStatus('active')
    expect(refused).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } })
    expect(refused.body.error_description).toMatch(/suspended/)
    expect(called).toBe(401)
    expect(await statusOf(accessToken)).toBe(200)
    expect((await rotate(refreshToken)).refreshToken).not.toBe(refreshToken)
  })

  test('a disabled user: refused, and the token works again when the user is active', async () => {
    const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada')
    await query(server.database, `UPDATE users SET status = 'disabled' WHERE id = 'ada'`)
    const [refused, called] = [await refresh(server, partner, refreshToken), await statusOf(accessToken)]
    await query(server.database, `UPDATE users SET status = 'active' WHERE id = 'ada'`)
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(called).toBe(401)
    expect((await refresh(server, partner, refreshToken)).status).toBe(200)
  })

  test('a disconnected user: every token of the grant is refused', async () => {
    await seed(server.database, { users: [{ id: 'eve' }] })
    const first = await tokensFor(server, partner, 'eve')
    const second = await rotate(first.refreshToken)
    await query(
      server.database,
      `UPDATE grants SET revoked_at = now(), revoked_by = 'user' WHERE user_id = 'eve'`,
    )
    for (const dead of [first, second]) {
      expect(await statusOf(dead.accessToken)).toBe(401)
      expectInvalidGrant(
        await refresh(server, partner, dead.refreshToken),
        /^The user has disconnected this application\./,
      )
    }
  })

  test('two secrets work while the partner switches; then the old one ends', async () => {
    const changing = await server.partner({ name: 'Changing Partner' })
    const { refreshToken } = await tokensFor(server, changing, 'ada')
    const renew = async (endOthers: boolean) => {
      const made = await rotatePartnerSecret(
        server.database,
        systemOrigin,
        'sandbox',
        changing.clientId,
        endOthers,
      )
      return { ...changing, clientSecret: made.kind === 'rotated' ? made.clientSecret : expect.fail() }
    }
    const second = await renew(false)
    for (const holder of [changing, second]) {
      expect((await refresh(server, holder, refreshToken)).status).toBe(200)
    }
    const third = await renew(false)
    expect(await refresh(server, changing, refreshToken)).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    })
    for (const holder of [second, third]) {
      expect((await refresh(server, holder, refreshToken)).status).toBe(200)
    }
    const fourth = await renew(true)
    expect((await refresh(server, third, refreshToken)).status).toBe(401)
    expect((await refresh(server, fourth, refreshToken)).status).toBe(200)
  })
})

describe('8: in the wrong environment', () => {
  test('tokens and clients of production at the sandbox, and the reverse, get a clear error', async () => {
    const production = await testServer({ environment: 'production' })
    onTestFinished(() => production.close())
    const live = await production.partner()
    for (const [at, own, foreign, here, there] of [
      [server, partner, live, 'sandbox', 'production'],
      [production, live, partner, 'production', 'sandbox'],
    ] as const) {
      const explained = `belongs to ${there}. This server is ${here}.`
      const foreignToken = neverIssued('rt', there)
      expectInvalidGrant(
        await refresh(at, own, foreignToken),
        new RegExp(`^This refresh token ${explained}$`),
      )
      const foreignCode = { grant_type: 'authorization_code', code: neverIssued('ac', there) }
      expectInvalidGrant(
        await token(at, own, foreignCode),
        new RegExp(`^This authorization code ${explained}$`),
      )

      const client = await refresh(at, foreign, foreignToken)
      expect(client).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
      expect(client.body.error_description).toContain(`client_id ${explained}`)
      const secret = await refresh(at, { ...own, clientSecret: foreign.clientSecret }, foreignToken)
      expect(secret).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
      expect(secret.body.error_description).toContain(`client secret ${explained}`)
      const called = await api(at, 'households', neverIssued('at', there))
      expect(called.status).toBe(401)
      expect(called.text).toContain(`access token ${explained}`)
    }
  })
})

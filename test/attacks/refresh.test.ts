import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { newClientId } from '../../src/partners/client-id.ts'
import { rotatePartnerSecret } from '../../src/partners/partners.ts'
import { newToken } from '../../src/tokens/token-format.ts'
import { codeFor, connectionOf, type Issued, issued, passTime } from '../support/connection.ts'
import { query, type TestDatabase, testDatabase } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { api, refresh, send, type TokenAnswer, token } from '../support/journey.ts'
import { type TestPartner, type TestServer, testServer } from '../support/server.ts'
import { Visitor } from '../support/visitor.ts'

const hour = 3600
const day = 24 * hour

let database: TestDatabase
let server: TestServer
let partner: TestPartner
let other: TestPartner
const ada = new Visitor()

beforeAll(async () => {
  database = await testDatabase()
  server = await testServer({ on: database })
  partner = await server.partner()
  other = await server.partner({ name: 'Other Partner' })
  await seed(server.database, { users: [{ id: 'ada' }] })
})
afterAll(async () => {
  await server.close()
  await database.drop()
})

async function newTokens(of = partner): Promise<Issued> {
  const code = await codeFor(ada, server, of, 'ada')
  return issued(await token(server, of, { grant_type: 'authorization_code', code }))
}

async function rotate(refreshToken: string, at = server): Promise<Issued> {
  return issued(await refresh(at, partner, refreshToken))
}

async function statusOf(accessToken: string): Promise<number> {
  return (await api(server, 'households', accessToken)).status
}

function expectInvalidGrant(answer: TokenAnswer, description: RegExp): void {
  expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(answer.body.error_description).toMatch(description)
  expect(answer.body).not.toHaveProperty('access_token')
}

describe('23: refreshes in parallel', () => {
  test('64 at once: all are given the one successor, and every access token works', async () => {
    const { refreshToken } = await newTokens()
    const answers = await Promise.all(Array.from({ length: 64 }, () => rotate(refreshToken)))
    const successors = new Set(answers.map((answer) => answer.refreshToken))
    expect([...successors]).toHaveLength(1)
    expect(successors).not.toContain(refreshToken)
    expect(new Set(answers.map(({ accessToken }) => accessToken)).size).toBe(64)
    expect(await Promise.all(answers.map(({ accessToken }) => statusOf(accessToken)))).toEqual(
      Array.from({ length: 64 }, () => 200),
    )
    expect(await connectionOf(server, refreshToken)).toMatchObject({
      revoked: false,
      refresh_tokens: 2,
      access_tokens: 65,
    })
  })

  test('generation after generation: ten workers that share a store stay together', async () => {
    const { refreshToken } = await newTokens()
    let current = refreshToken
    for (let generation = 0; generation < 5; generation++) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(current)))
      const [next, ...more] = new Set(answers.map((answer) => answer.refreshToken))
      expect(more).toEqual([])
      current = next ?? ''
      await passTime(server, current, hour)
    }
    expect(await connectionOf(server, refreshToken)).toMatchObject({ revoked: false, refresh_tokens: 6 })
  })

  test('a token and its successor at once: both are answered, and the chain does not fork', async () => {
    const first = await newTokens()
    const second = await rotate(first.refreshToken)
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        rotate(index % 2 ? first.refreshToken : second.refreshToken).then(({ refreshToken }) => ({
          of: index % 2 ? 'first' : 'second',
          refreshToken,
        })),
      ),
    )
    const given = (of: string) =>
      new Set(answers.filter((answer) => answer.of === of).map((answer) => answer.refreshToken))
    expect([...given('first')]).toEqual([second.refreshToken])
    expect(given('second').size).toBe(1)
    expect(await connectionOf(server, first.refreshToken)).toMatchObject({
      revoked: false,
      refresh_tokens: 3,
    })
  })

  test('64 replays at once: none is given tokens, and the first reason stands', async () => {
    const first = await newTokens()
    await rotate((await rotate(first.refreshToken)).refreshToken)
    await passTime(server, first.refreshToken, 60)
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => refresh(server, partner, first.refreshToken)),
    )
    for (const answer of answers) expectInvalidGrant(answer, /revoked/)
    expect(await connectionOf(server, first.refreshToken)).toMatchObject({
      revoked_for: 'refresh_replayed',
      refresh_tokens: 3,
      access_tokens: 3,
    })
  })
})

describe('23: the answer was lost', () => {
  test('asked again at once, and days later: the same successor, as long as nobody used it', async () => {
    const { refreshToken } = await newTokens()
    const lost = await rotate(refreshToken)
    for (const later of [0, 59, 2, 5 * hour, 20 * day]) {
      await passTime(server, refreshToken, later)
      const again = await rotate(refreshToken)
      expect(again.refreshToken).toBe(lost.refreshToken)
      expect(await statusOf(again.accessToken)).toBe(200)
    }
    const next = await rotate(lost.refreshToken)
    expect(next.refreshToken).not.toBe(lost.refreshToken)
    expect(await connectionOf(server, refreshToken)).toMatchObject({ revoked: false, refresh_tokens: 3 })
  })

  test('the successor that is handed out again is valid for 30 days from then (contract, section 8)', async () => {
    const { refreshToken } = await newTokens()
    await rotate(refreshToken)
    await passTime(server, refreshToken, 29 * day)
    const again = await rotate(refreshToken)
    await passTime(server, refreshToken, 29 * day)
    expect(await statusOf((await rotate(again.refreshToken)).accessToken)).toBe(200)
  })

  test('within a minute it is given again even when the successor was used', async () => {
    const first = await newTokens()
    const second = await rotate(first.refreshToken)
    await rotate(second.refreshToken)
    await passTime(server, first.refreshToken, 55)
    expect((await rotate(first.refreshToken)).refreshToken).toBe(second.refreshToken)
    expect(await connectionOf(server, first.refreshToken)).toMatchObject({
      revoked: false,
      refresh_tokens: 3,
    })
  })

  test('the minute counts from the first rotation: asking again does not prolong it', async () => {
    const first = await newTokens()
    const second = await rotate(first.refreshToken)
    await rotate(second.refreshToken)
    await passTime(server, first.refreshToken, 40)
    await rotate(first.refreshToken)
    await passTime(server, first.refreshToken, 20)
    expectInvalidGrant(await refresh(server, partner, first.refreshToken), /rotated before/)
  })
})

describe('23: an ancestor replayed late', () => {
  test.each([
    ['the parent of a used token', 1],
    ['the first of a long chain', 4],
  ])('%s: the connection is revoked, and nothing but the connection', async (_what, generations) => {
    const sameGrant = await newTokens()
    const otherPartner = await newTokens(other)
    const stolen = await newTokens()
    let latest = await rotate(stolen.refreshToken)
    for (let more = 0; more < generations; more++) latest = await rotate(latest.refreshToken)
    await passTime(server, stolen.refreshToken, 61)
    expect(await statusOf(latest.accessToken)).toBe(200)

    expectInvalidGrant(await refresh(server, partner, stolen.refreshToken), /rotated before/)

    expect(await connectionOf(server, stolen.refreshToken)).toMatchObject({
      revoked_for: 'refresh_replayed',
      grant_revoked: false,
    })
    for (const dead of [stolen, latest]) {
      expect(await statusOf(dead.accessToken)).toBe(401)
      expectInvalidGrant(await refresh(server, partner, dead.refreshToken), /used again/)
    }
    for (const [live, of] of [
      [sameGrant, partner],
      [otherPartner, other],
    ] as const) {
      expect(await statusOf(live.accessToken)).toBe(200)
      expect((await refresh(server, of, live.refreshToken)).status).toBe(200)
    }
  })

  test('counts when the ancestor has itself expired', async () => {
    const stolen = await newTokens()
    const second = await rotate(stolen.refreshToken)
    await passTime(server, stolen.refreshToken, 20 * day)
    const third = await rotate(second.refreshToken)
    await passTime(server, stolen.refreshToken, 11 * day)
    expectInvalidGrant(await refresh(server, partner, stolen.refreshToken), /rotated before/)
    expectInvalidGrant(await refresh(server, partner, third.refreshToken), /used again/)
  })
})

describe('24: a refresh token in the wrong hands', () => {
  test('of another client, however often and late: invalid_grant, the connection intact', async () => {
    const first = await newTokens()
    const second = await rotate(first.refreshToken)
    await rotate(second.refreshToken)
    await passTime(server, first.refreshToken, hour)
    for (const presented of [first, second]) {
      const answer = await refresh(server, other, presented.refreshToken)
      expectInvalidGrant(answer, /not known, or was issued to another client/)
      const invented = await refresh(server, other, newToken('sandbox', 'rt').text)
      expect({ ...answer.body, request_id: '' }).toEqual({ ...invented.body, request_id: '' })
    }
    expect(await connectionOf(server, first.refreshToken)).toMatchObject({
      revoked: false,
      refresh_tokens: 3,
      access_tokens: 3,
    })
    expect(await statusOf((await rotate(second.refreshToken)).accessToken)).toBe(200)
  })

  test('without client authentication, or a wrong one: an error, the connection intact', async () => {
    const { refreshToken } = await newTokens()
    const ask = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
      send(`${server.baseUrl}oauth2/token`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
          ...parameters,
        }),
      })
    const { clientId } = partner
    expect(await ask({})).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    for (const credentials of [
      { client_id: clientId },
      { client_id: clientId, client_secret: '' },
      { client_id: clientId, client_secret: 'guess' },
      { client_id: clientId, client_secret: newToken('sandbox', 'cs').text },
      { client_id: clientId, client_secret: other.clientSecret },
      { client_id: newClientId('sandbox'), client_secret: partner.clientSecret },
    ]) {
      const answer = await ask(credentials)
      expect(answer, JSON.stringify(credentials)).toMatchObject({
        status: 401,
        body: { error: 'invalid_client' },
      })
    }
    expect(await connectionOf(server, refreshToken)).toMatchObject({ revoked: false, refresh_tokens: 1 })
    expect((await rotate(refreshToken)).refreshToken).not.toBe(refreshToken)
  })

  test('12: an unknown client and a wrong secret are the same answer', async () => {
    const { refreshToken } = await newTokens()
    const { text: clientSecret } = newToken('sandbox', 'cs')
    const known = await refresh(server, { ...partner, clientSecret }, refreshToken)
    const unknown = await refresh(
      server,
      { ...partner, clientId: newClientId('sandbox'), clientSecret },
      refreshToken,
    )
    expect(known.status).toBe(unknown.status)
    expect({ ...known.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' })
  })
})

describe('25: nothing is lost and nothing comes back', () => {
  afterEach(() => query(server.database, 'DROP FUNCTION IF EXISTS fail CASCADE'))

  test.each([
    ['the access token cannot be written', 'CREATE TRIGGER broken BEFORE INSERT ON access_tokens'],
    ['the successor cannot be written', 'CREATE TRIGGER broken BEFORE INSERT ON refresh_tokens'],
    [
      'the commit fails',
      'CREATE CONSTRAINT TRIGGER broken AFTER INSERT ON access_tokens DEFERRABLE INITIALLY DEFERRED',
    ],
  ])('%s: 500, nothing consumed, and the same token works afterwards', async (_what, trigger) => {
    const { refreshToken } = await newTokens()
    await query(
      server.database,
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken by a test'; END $$`,
    )
    await query(server.database, `${trigger} FOR EACH ROW EXECUTE FUNCTION fail()`)
    const answer = await refresh(server, partner, refreshToken)
    expect(answer).toMatchObject({ status: 500, body: { error: 'server_error' } })
    const rotated = await query(
      server.database,
      `SELECT 1 FROM refresh_tokens r JOIN connections c ON c.id = r.connection_id
        WHERE r.rotated_at IS NOT NULL AND c.id = (SELECT max(id) FROM connections)`,
    )
    expect(rotated).toEqual([])
    await query(server.database, 'DROP FUNCTION fail CASCADE')
    expect(await statusOf((await rotate(refreshToken)).accessToken)).toBe(200)
  })

  test('a replay that cannot be recorded is not answered as one; asked again, it is', async () => {
    const first = await newTokens()
    const third = await rotate((await rotate(first.refreshToken)).refreshToken)
    await passTime(server, first.refreshToken, hour)
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
    expectInvalidGrant(await refresh(server, partner, first.refreshToken), /rotated before/)
    expectInvalidGrant(await refresh(server, partner, third.refreshToken), /used again/)
  })

  test('after a restart a rotated token is what it was: the same successor, or a replay', async () => {
    const before = await testServer({ on: database })
    const lost = await newTokens()
    const lostSuccessor = await rotate(lost.refreshToken, before)
    const stolen = await newTokens()
    await rotate((await rotate(stolen.refreshToken, before)).refreshToken, before)
    await before.close()
    for (const { refreshToken } of [lost, stolen]) await passTime(server, refreshToken, hour)

    const after = await testServer({ on: database })
    expect((await rotate(lost.refreshToken, after)).refreshToken).toBe(lostSuccessor.refreshToken)
    expectInvalidGrant(await refresh(after, partner, stolen.refreshToken), /rotated before/)
    await after.close()
    expectInvalidGrant(await refresh(server, partner, stolen.refreshToken), /used again/)
  })

  test('two servers on one database, in parallel: one successor', async () => {
    const second = await testServer({ on: database })
    const { refreshToken } = await newTokens()
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => rotate(refreshToken, index % 2 ? server : second)),
    )
    await second.close()
    expect(new Set(answers.map((answer) => answer.refreshToken)).size).toBe(1)
    expect(await connectionOf(server, refreshToken)).toMatchObject({ revoked: false, refresh_tokens: 2 })
  })
})

describe('lifetimes and standing', () => {
  test('a refresh token works until its 30 days are over, and then says so', async () => {
    const [inTime, late] = [await newTokens(), await newTokens()]
    await passTime(server, inTime.refreshToken, 30 * day - 5)
    await passTime(server, late.refreshToken, 30 * day)
    expect(await statusOf((await rotate(inTime.refreshToken)).accessToken)).toBe(200)
    expectInvalidGrant(await refresh(server, partner, late.refreshToken), /expired; it is valid for 30 days/)
    expect(await connectionOf(server, late.refreshToken)).toMatchObject({ revoked: false, refresh_tokens: 1 })
  })

  test('each successor has 30 days of its own', async () => {
    let { refreshToken } = await newTokens()
    for (let month = 0; month < 4; month++) {
      await passTime(server, refreshToken, 29 * day)
      refreshToken = (await rotate(refreshToken)).refreshToken
    }
    expect((await refresh(server, partner, refreshToken)).status).toBe(200)
  })

  test('an access token works for an hour, and a refresh does not prolong it', async () => {
    const { accessToken, refreshToken } = await newTokens()
    await passTime(server, accessToken, hour - 5)
    expect(await statusOf(accessToken)).toBe(200)
    const next = await rotate(refreshToken)
    await passTime(server, accessToken, 5)
    expect(await api(server, 'households', accessToken)).toMatchObject({
      status: 401,
      body: { code: 'invalid_token' },
    })
    expect(await statusOf(next.accessToken)).toBe(200)
  })

  test('a suspended partner is refused and loses nothing: resumed, its tokens work', async () => {
    const { accessToken, refreshToken } = await newTokens()
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

  test('a disabled user: refused, and as before once active again', async () => {
    const { accessToken, refreshToken } = await newTokens()
    await query(server.database, `UPDATE users SET status = 'disabled' WHERE id = 'ada'`)
    const [refused, called] = [await refresh(server, partner, refreshToken), await statusOf(accessToken)]
    await query(server.database, `UPDATE users SET status = 'active' WHERE id = 'ada'`)
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(called).toBe(401)
    expect((await refresh(server, partner, refreshToken)).status).toBe(200)
  })

  test('a disconnected user: every token of the grant is refused', async () => {
    const visitor = new Visitor()
    await seed(server.database, { users: [{ id: 'eve' }] })
    const code = await codeFor(visitor, server, partner, 'eve')
    const first = issued(await token(server, partner, { grant_type: 'authorization_code', code }))
    const second = await rotate(first.refreshToken)
    await query(server.database, `UPDATE grants SET revoked_at = now() WHERE user_id = 'eve'`)
    for (const dead of [first, second]) {
      expect(await statusOf(dead.accessToken)).toBe(401)
      expectInvalidGrant(await refresh(server, partner, dead.refreshToken), /user has ended/)
    }
  })

  test('two secrets live while the partner changes over; then the old one ends', async () => {
    const changing = await server.partner({ name: 'Changing Partner' })
    const { refreshToken } = await newTokens(changing)
    const renew = async (endOthers: boolean) => {
      const made = await rotatePartnerSecret(server.database, 'sandbox', changing.clientId, endOthers)
      return { ...changing, clientSecret: made?.clientSecret ?? expect.fail() }
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

describe('8: at the wrong door', () => {
  test('tokens and clients of production at the sandbox, and the reverse, are told so', async () => {
    const production = await testServer({ environment: 'production' })
    const live = await production.partner()
    for (const [at, own, foreign, here, there] of [
      [server, partner, live, 'sandbox', 'production'],
      [production, live, partner, 'production', 'sandbox'],
    ] as const) {
      const explained = `belongs to ${there}, and this is ${here}`
      const foreignToken = newToken(there, 'rt').text
      expectInvalidGrant(
        await refresh(at, own, foreignToken),
        new RegExp(`refresh_token: .*refresh token ${explained}`),
      )
      const foreignCode = { grant_type: 'authorization_code', code: newToken(there, 'ac').text }
      expectInvalidGrant(
        await token(at, own, foreignCode),
        new RegExp(`code: .*authorization code ${explained}`),
      )

      const client = await refresh(at, foreign, foreignToken)
      expect(client).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
      expect(client.body.error_description).toContain(`client_id ${explained}`)
      const secret = await refresh(at, { ...own, clientSecret: foreign.clientSecret }, foreignToken)
      expect(secret).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
      expect(secret.body.error_description).toContain(`client secret ${explained}`)
      const called = await api(at, 'households', newToken(there, 'at').text)
      expect(called.status).toBe(401)
      expect(called.text).toContain(`access token ${explained}`)
    }
    await production.close()
  })
})

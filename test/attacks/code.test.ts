import { afterEach, describe, expect, test } from 'vitest'
import { newToken } from '../../src/secrets/token-format.ts'
import { codeFor, connectionOf, issued } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, pkce, refresh, type TokenAnswer, token } from '../support/journey.ts'
import { expectInvalidGrant } from '../support/token-endpoint.ts'

const server = await serverFixture({ clock: true, users: ['ada', 'bob'] })
const partner = await server.partner()
const other = await server.partner({ name: 'Other Partner' })

function redeem(code: string, more: Record<string, string> = {}, by = partner): Promise<TokenAnswer> {
  return token(server, by, { grant_type: 'authorization_code', code, ...more })
}

async function statusOf(accessToken: string): Promise<number> {
  return (await api(server, 'households', accessToken)).status
}

describe('20: replay of a code', () => {
  test('is invalid_grant, and every token from the code is dead at the next request', async () => {
    const code = await codeFor(server, partner, 'ada')
    const first = issued(await redeem(code))
    const second = issued(await refresh(server, partner, first.refreshToken))
    const bystander = issued(await redeem(await codeFor(server, partner, 'ada')))
    expect(await statusOf(first.accessToken)).toBe(200)

    expectInvalidGrant(await redeem(code), /^Authorization code reuse detected\./)

    expect(await statusOf(first.accessToken)).toBe(401)
    expect(await statusOf(second.accessToken)).toBe(401)
    for (const dead of [first.refreshToken, second.refreshToken]) {
      expectInvalidGrant(await refresh(server, partner, dead), /revoked/)
    }
    expect(await connectionOf(server, code)).toMatchObject({
      redemptions: 2,
      revoked_for: 'code_replayed',
      grant_revoked: false,
      generation: 2,
    })
    expect(await statusOf(bystander.accessToken)).toBe(200)
  })

  test('is also detected long after the code has expired', async () => {
    const code = await codeFor(server, partner, 'ada')
    const { refreshToken } = issued(await redeem(code))
    await server.passTime(24 * 3600)
    expectInvalidGrant(await redeem(code), /^Authorization code reuse detected\./)
    expectInvalidGrant(await refresh(server, partner, refreshToken), /revoked/)
  })

  test('64 at once: one gets tokens, in the responses and in the database, and they are revoked', async () => {
    const code = await codeFor(server, partner, 'ada')
    const answers = await Promise.all(Array.from({ length: 64 }, () => redeem(code)))
    const winners = answers.filter(({ status }) => status === 200)
    const losers = answers.filter(({ status }) => status !== 200)
    expect(winners).toHaveLength(1)
    expect(losers).toHaveLength(63)
    for (const loser of losers) expectInvalidGrant(loser, /^Authorization code reuse detected\./)
    expect(await connectionOf(server, code)).toEqual({
      redemptions: 64,
      revoked: true,
      revoked_for: 'code_replayed',
      grant_revoked: false,
      generation: 1,
    })
    const { accessToken, refreshToken } = issued(winners[0] ?? expect.fail())
    expect(await statusOf(accessToken)).toBe(401)
    expectInvalidGrant(await refresh(server, partner, refreshToken), /revoked/)
  })
})

describe('21: a code with the wrong client, redirect_uri or time', () => {
  test('of another client: invalid_grant, as if it did not exist, and it still works for its owner', async () => {
    const code = await codeFor(server, partner, 'ada')
    const stolen = await redeem(code, {}, other)
    const invented = await redeem(newToken('sandbox', 'ac').text, {}, other)
    expectInvalidGrant(
      stolen,
      /^Unknown or expired authorization code, or it was issued to another client\.$/,
    )
    expect({ ...stolen.body, request_id: '' }).toEqual({ ...invented.body, request_id: '' })
    expect(await connectionOf(server, code)).toMatchObject({
      redemptions: 0,
      revoked: false,
      generation: null,
    })
    expect(await statusOf(issued(await redeem(code)).accessToken)).toBe(200)
  })

  test('of a client that cannot authenticate: invalid_client, and it still works for its owner', async () => {
    const code = await codeFor(server, partner, 'ada')
    const impostor = { ...partner, clientSecret: other.clientSecret }
    expect(await redeem(code, {}, impostor)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(await connectionOf(server, code)).toMatchObject({ redemptions: 0, revoked: false })
    expect((await redeem(code)).status).toBe(200)
  })

  test.each([
    ['with an additional slash', (uri: string) => `${uri}/`],
    ['in another case', (uri: string) => uri.replace('callback', 'Callback')],
    ['with the port spelled out', (uri: string) => uri.replace('.example', '.example:443')],
    ['of someone else', () => 'https://evil.example/callback'],
  ])('a redirect_uri %s: invalid_grant, and the code is used up', async (_what, change) => {
    const code = await codeFor(server, partner, 'ada')
    expectInvalidGrant(await redeem(code, { redirect_uri: change(partner.redirectUri) }), /redirect_uri/)
    expect(await connectionOf(server, code)).toMatchObject({ revoked_for: 'code_misused', generation: null })
    expectInvalidGrant(
      await redeem(code, { redirect_uri: partner.redirectUri }),
      /^Authorization code reuse detected\./,
    )
  })

  test('exactly the redirect_uri of the request: tokens', async () => {
    const code = await codeFor(server, partner, 'ada')
    expect((await redeem(code, { redirect_uri: partner.redirectUri })).status).toBe(200)
  })

  test('a second after expiry: invalid_grant; a second before: tokens', async () => {
    const late = await codeFor(server, partner, 'ada')
    await server.passTime(4)
    const inTime = await codeFor(server, partner, 'ada')
    await server.passTime(57)
    expect((await redeem(inTime)).status).toBe(200)
    expectInvalidGrant(await redeem(late), /^Expired authorization code\. A code is valid for 60 seconds\.$/)
    expect(await connectionOf(server, late)).toMatchObject({ generation: null })
    await server.passTime(-61)
    expectInvalidGrant(await redeem(late), /^Authorization code reuse detected\./)
  })

  test('code_expires_at is a minute after the page was submitted', async () => {
    const code = await codeFor(server, partner, 'ada')
    const [row] = await query<{ left: number }>(
      server.database,
      `SELECT extract(epoch FROM code_expires_at - created_at)::float AS left FROM connections ORDER BY id DESC LIMIT 1`,
    )
    expect(row?.left).toBe(60)
    expect((await connectionOf(server, code)).redemptions).toBe(0)
  })
})

describe('7: the verifier', () => {
  const { verifier, challenge } = pkce()
  const challenged = { code_challenge: challenge, code_challenge_method: 'S256' }

  test('that matches the challenge: tokens', async () => {
    const code = await codeFor(server, partner, 'ada', { more: challenged })
    expect((await redeem(code, { code_verifier: verifier })).status).toBe(200)
  })

  test('without a challenge in the request: invalid_grant, and the code is used up', async () => {
    const code = await codeFor(server, partner, 'ada')
    expectInvalidGrant(await redeem(code, { code_verifier: verifier }), /code_verifier/)
    expect(await connectionOf(server, code)).toMatchObject({ redemptions: 1, revoked_for: 'code_misused' })
    expectInvalidGrant(await redeem(code), /^Authorization code reuse detected\./)
  })

  test.each([
    ['missing', {}],
    ['empty', { code_verifier: '' }],
    ['another', { code_verifier: pkce().verifier }],
    ['the challenge itself, as with `plain`', { code_verifier: challenge }],
    ['wrong in one character', { code_verifier: verifier.replace(/^./, '~') }],
  ])('for a challenge, but %s: invalid_grant, and the code is used up', async (_what, sent) => {
    const code = await codeFor(server, partner, 'ada', { more: challenged })
    expectInvalidGrant(await redeem(code, sent), /code_verifier/)
    expectInvalidGrant(
      await redeem(code, { code_verifier: verifier }),
      /^Authorization code reuse detected\./,
    )
    expect(await connectionOf(server, code)).toMatchObject({
      redemptions: 2,
      generation: null,
    })
  })

  test('from another client, right or wrong: invalid_grant, and the code still works', async () => {
    const code = await codeFor(server, partner, 'ada', { more: challenged })
    expectInvalidGrant(await redeem(code, { code_verifier: verifier }, other), /another client/)
    expectInvalidGrant(await redeem(code, { code_verifier: pkce().verifier }, other), /another client/)
    expect(await connectionOf(server, code)).toMatchObject({ redemptions: 0, revoked: false })
    expect((await redeem(code, { code_verifier: verifier })).status).toBe(200)
  })
})

describe('a code ends with its grant and its partner', () => {
  test('the user disconnected before it was redeemed: invalid_grant', async () => {
    const code = await codeFor(server, partner, 'bob')
    await query(server.database, `UPDATE grants SET revoked_at = now() WHERE user_id = 'bob'`)
    expectInvalidGrant(await redeem(code), /ended/)
    expect(await connectionOf(server, code)).toMatchObject({ generation: null })
  })

  test('the partner is suspended: unauthorized_client, and the code still works', async () => {
    const code = await codeFor(server, partner, 'ada')
    const setStatus = (status: string) =>
      query(server.database, 'UPDATE partners SET status = $1 WHERE client_id = $2', [
        status,
        partner.clientId,
      ])
    await setStatus('suspended')
    const answer = await redeem(code)
    await setStatus('active')
    expect(answer).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } })
    expect((await redeem(code)).status).toBe(200)
  })
})

describe('25: a redemption that fails in the database consumes nothing', () => {
  const failing = `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken by a test'; END $$`
  afterEach(() => query(server.database, 'DROP FUNCTION IF EXISTS fail CASCADE'))

  test.each([
    ['the connection cannot be changed', 'CREATE TRIGGER broken AFTER UPDATE ON connections'],
    [
      'the commit fails',
      'CREATE CONSTRAINT TRIGGER broken AFTER UPDATE ON connections DEFERRABLE INITIALLY DEFERRED',
    ],
  ])('%s: 500, and the same code works afterwards', async (_what, trigger) => {
    const code = await codeFor(server, partner, 'ada')
    await query(server.database, failing)
    await query(server.database, `${trigger} FOR EACH ROW EXECUTE FUNCTION fail()`)
    const answer = await redeem(code)
    expect(answer).toMatchObject({ status: 500, body: { error: 'server_error' } })
    expect(JSON.stringify(answer.body)).not.toContain('broken by a test')
    expect(await connectionOf(server, code)).toMatchObject({ redemptions: 0, generation: null })

    await query(server.database, 'DROP FUNCTION fail CASCADE')
    expect(await statusOf(issued(await redeem(code)).accessToken)).toBe(200)
    expect(await connectionOf(server, code)).toMatchObject({
      redemptions: 1,
      generation: 1,
    })
  })
})

import { describe, expect, test } from 'vitest'
import { codeFor, connectionOf, issued, tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, pkce, refresh, send, token } from '../support/journey.ts'
import { neverIssued } from '../support/never-issued.ts'
import { credentials, expectError, postForm } from '../support/token-endpoint.ts'

const server = await serverFixture({ clock: true, users: ['ada'], households: ['h1'] })
const partner = await server.partner()
const other = await server.partner({ name: 'Other Partner' })

describe('RFC 7009: revocation', () => {
  const revoke = (secret: string, by = partner, more: Record<string, string> = {}) =>
    postForm(server, { ...credentials(by), token: secret, ...more }, {}, 'revoke')
  const statusOf = async (accessToken: string) => (await api(server, 'households', accessToken)).status

  test('revoking a refresh token ends its whole connection and no other', async () => {
    const [first, otherConnection] = [
      await tokensFor(server, partner, 'ada'),
      await tokensFor(server, partner, 'ada'),
    ]
    const second = issued(await refresh(server, partner, first.refreshToken))
    const answer = await revoke(second.refreshToken)
    expect(answer).toMatchObject({ status: 200, body: {} })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    for (const revoked of [first, second]) {
      expect(await statusOf(revoked.accessToken)).toBe(401)
      expectError(
        await refresh(server, partner, revoked.refreshToken),
        400,
        'invalid_grant',
        /revoked by this application/,
      )
    }
    expect(await connectionOf(server, first.refreshToken)).toMatchObject({
      revoked_for: 'partner',
      grant_revoked: false,
    })
    expect(await statusOf(otherConnection.accessToken)).toBe(200)
    expect((await refresh(server, partner, otherConnection.refreshToken)).status).toBe(200)
  })

  test('revoking a rotated or expired refresh token still ends its connection', async () => {
    for (const days of [0, 31]) {
      const first = await tokensFor(server, partner, 'ada')
      const second = issued(await refresh(server, partner, first.refreshToken))
      await server.passTime(days * 24 * 3600)
      await revoke(first.refreshToken)
      expectError(await refresh(server, partner, second.refreshToken), 400, 'invalid_grant', /revoked/)
    }
  })

  test('revoking a live access token ends all access tokens of its connection, and the refresh token goes on', async () => {
    const first = await tokensFor(server, partner, 'ada')
    const second = issued(await refresh(server, partner, first.refreshToken))
    const otherConnection = await tokensFor(server, partner, 'ada')
    expect((await revoke(second.accessToken)).status).toBe(200)
    for (const { accessToken } of [first, second]) {
      expect(await api(server, 'households', accessToken)).toMatchObject({
        status: 401,
        body: { detail: expect.stringContaining('has been revoked') },
      })
    }
    expect(await statusOf(otherConnection.accessToken)).toBe(200)
    const third = issued(await refresh(server, partner, second.refreshToken))
    expect(await statusOf(third.accessToken)).toBe(200)
    expect(await statusOf(second.accessToken)).toBe(401)
    expect(await connectionOf(server, third.refreshToken)).toMatchObject({ revoked: false, generation: 3 })
  })

  test('revoking an access token that has expired or was revoked before changes nothing', async () => {
    const first = await tokensFor(server, partner, 'ada')
    await server.passTime(1800)
    const second = issued(await refresh(server, partner, first.refreshToken))
    await server.passTime(1801)
    await revoke(first.accessToken)
    expect(await statusOf(second.accessToken)).toBe(200)
    await revoke(second.accessToken)
    const third = issued(await refresh(server, partner, second.refreshToken))
    await revoke(second.accessToken)
    expect(await statusOf(third.accessToken)).toBe(200)
  })

  test('revoking twice has the same effect as once, and a replay afterwards does not change the reason', async () => {
    const code = await codeFor(server, partner, 'ada')
    const { refreshToken } = issued(await token(server, partner, { grant_type: 'authorization_code', code }))
    for (const _ of [1, 2]) expect((await revoke(refreshToken)).status).toBe(200)
    expectError(
      await token(server, partner, { grant_type: 'authorization_code', code }),
      400,
      'invalid_grant',
      /^Authorization code reuse detected\./,
    )
    expect((await connectionOf(server, refreshToken)).revoked_for).toBe('partner')
  })

  test.each([
    ['unknown refresh token', () => neverIssued('rt')],
    ['unknown access token', () => neverIssued('at')],
    ['production token', () => neverIssued('rt', 'production')],
    ['text that is not a token', () => 'x'],
    ['text of 10 kB', () => 'x'.repeat(10_000)],
  ])('revocation answers 200: %s', async (_case, secret) => {
    expect((await revoke(secret())).status).toBe(200)
  })

  test('a right, wrong or unknown token_type_hint has no effect', async () => {
    for (const hint of ['refresh_token', 'access_token', 'urn:x']) {
      const { refreshToken, accessToken } = await tokensFor(server, partner, 'ada')
      expect((await revoke(refreshToken, partner, { token_type_hint: hint })).status).toBe(200)
      expect(await statusOf(accessToken)).toBe(401)
    }
  })

  test('28: revocation by the wrong client gives 200 and has no effect', async () => {
    const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada')
    for (const secret of [accessToken, refreshToken]) {
      expect(await revoke(secret, other)).toMatchObject({ status: 200, body: {} })
    }
    expect(await statusOf(accessToken)).toBe(200)
    expect((await refresh(server, partner, refreshToken)).status).toBe(200)
  })

  test('wrong or missing authentication is refused and has no effect', async () => {
    const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada')
    for (const by of [
      { ...partner, clientSecret: other.clientSecret },
      { ...partner, clientSecret: neverIssued('cs') },
    ]) {
      expectError(await revoke(refreshToken, by), 401, 'invalid_client', /./)
    }
    expectError(
      await postForm(server, { token: refreshToken }, {}, 'revoke'),
      400,
      'invalid_request',
      /client_id/,
    )
    expect(await statusOf(accessToken)).toBe(200)
  })

  test('a missing token and a token in the query are invalid_request', async () => {
    expectError(
      await postForm(server, credentials(partner), {}, 'revoke'),
      400,
      'invalid_request',
      /token is missing/,
    )
    const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada')
    const answer = await send(`${server.baseUrl}oauth2/revoke?token=${refreshToken}`, {
      method: 'POST',
      body: new URLSearchParams(credentials(partner)),
    })
    expectError(answer, 400, 'invalid_request', /token was sent in the query string/)
    expect(await statusOf(accessToken)).toBe(200)
  })

  test('a suspended partner can still revoke its tokens', async () => {
    const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada')
    const setStatus = (status: string) =>
      server.database.withConnection((client) =>
        client.query('UPDATE partners SET status = $1 WHERE client_id = $2', [status, partner.clientId]),
      )
    await setStatus('suspended')
    const answer = await revoke(refreshToken)
    await setStatus('active')
    expect(answer.status).toBe(200)
    expect(await statusOf(accessToken)).toBe(401)
  })

  test('a code cannot be revoked and stays valid', async () => {
    const { verifier, challenge } = pkce()
    const code = await codeFor(server, partner, 'ada', {
      more: { code_challenge: challenge, code_challenge_method: 'S256' },
    })
    expect((await revoke(code)).status).toBe(200)
    issued(await token(server, partner, { grant_type: 'authorization_code', code, code_verifier: verifier }))
  })
})

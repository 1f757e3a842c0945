import { describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { codeFor, type Issued, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { claimsOf } from '../support/id-token.ts'
import { token } from '../support/journey.ts'
import { neverIssued } from '../support/never-issued.ts'

const server = await serverFixture({ users: ['ada', 'bob'] })
const partner = await server.partner()
const endpoint = `${server.baseUrl}oauth2/userinfo`

type Answer = { status: number; headers: Headers; body: Record<string, unknown> }

async function ask(init: RequestInit, address = endpoint): Promise<Answer> {
  const response = await fetch(address, init)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const bearer = (accessToken: string) => ({ authorization: `Bearer ${accessToken}` })
const form = (fields: Record<string, string> | string[][]) => ({
  method: 'POST',
  body: new URLSearchParams(fields),
})

function expectRefused(answer: Answer, status: number, error: string): void {
  expect(answer.status).toBe(status)
  expect(answer.headers.get('www-authenticate')).toContain(`error="${error}"`)
  expect(answer.headers.get('content-type')).toContain('application/problem+json')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.body).not.toHaveProperty('sub')
}

describe('userinfo (OpenID Connect Core section 5.3)', () => {
  test('only the subject of the id_token, in each of three request forms', async () => {
    const { accessToken, idToken } = await tokensFor(server, partner, 'ada')
    for (const init of [
      { headers: bearer(accessToken) },
      { method: 'POST', headers: bearer(accessToken) },
      { ...form({}), headers: bearer(accessToken) },
      form({ access_token: accessToken }),
    ]) {
      const answer = await ask(init)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.body).toEqual({ sub: claimsOf(idToken).sub })
    }
  })

  test('another partner gets another subject for the same user', async () => {
    const other = await tokensFor(server, await server.partner({ name: 'Other' }), 'ada')
    const { body } = await ask({ headers: bearer(other.accessToken) })
    expect(body).toEqual({ sub: claimsOf(other.idToken).sub })
    expect(body.sub).not.toBe(claimsOf((await tokensFor(server, partner, 'ada')).idToken).sub)
  })
})

describe('26: the access token in the wrong place', () => {
  test('in the address it is ignored', async () => {
    const { accessToken } = await tokensFor(server, partner, 'ada')
    const address = `${endpoint}?access_token=${accessToken}`
    for (const init of [{}, form({})]) {
      const answer = await ask(init, address)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).not.toContain('error')
      expect(answer.body).toMatchObject({ code: 'unauthorized' })
    }
  })

  test('in a JSON body it is ignored too', async () => {
    const { accessToken } = await tokensFor(server, partner, 'ada')
    const answer = await ask({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ access_token: accessToken }),
    })
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
  })

  test('in header and body at once, and twice in the body: 400', async () => {
    const { accessToken } = await tokensFor(server, partner, 'ada')
    for (const init of [
      { ...form({ access_token: accessToken }), headers: bearer(accessToken) },
      { ...form({ access_token: accessToken }), headers: { authorization: 'Basic eDp5' } },
      { ...form({ access_token: 'other' }), headers: bearer(accessToken) },
      form([
        ['access_token', accessToken],
        ['access_token', accessToken],
      ]),
    ]) {
      expectRefused(await ask(init), 400, 'invalid_request')
    }
  })
})

describe('27: tokens that are not live access tokens', () => {
  test.each<[string, () => Promise<string>]>([
    ['a refresh token', async () => (await tokensFor(server, partner, 'ada')).refreshToken],
    ['an id_token', async () => (await tokensFor(server, partner, 'ada')).idToken],
    ['a code', () => codeFor(server, partner, 'ada')],
    ['one that was never issued', async () => neverIssued('at')],
    ['an expired one', () => accessTokenOf(server.database, 'bob', { expiresIn: -1 })],
    ['nothing', async () => ''],
  ])('%s: 401, in the header and in the body', async (_what, secret) => {
    const text = await secret()
    expectRefused(await ask(form({ access_token: text })), 401, 'invalid_token')
    if (text) expectRefused(await ask({ headers: bearer(text) }), 401, 'invalid_token')
  })

  test('revoked, disconnected, or of a partner that is suspended: 401 from the next call on', async () => {
    const own = await server.partner({ name: 'Ending' })
    const endings: ((tokens: Issued) => Promise<unknown>)[] = [
      ({ refreshToken }) => token(server, own, { token: refreshToken }, 'revoke'),
      () =>
        query(server.database, 'UPDATE grants SET revoked_at = now() WHERE client_id = $1', [own.clientId]),
      () =>
        query(server.database, `UPDATE partners SET status = 'suspended' WHERE client_id = $1`, [
          own.clientId,
        ]),
    ]
    for (const end of endings) {
      const tokens = await tokensFor(server, own, 'ada')
      expect((await ask({ headers: bearer(tokens.accessToken) })).status).toBe(200)
      await end(tokens)
      expectRefused(await ask({ headers: bearer(tokens.accessToken) }), 401, 'invalid_token')
    }
  })
})

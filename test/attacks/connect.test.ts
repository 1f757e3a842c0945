import { describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, authorize, connect, logIn, token } from '../support/journey.ts'
import { disconnect, disconnectPage, isConnectPage, loggedIn, recoveryLink } from '../support/pages.ts'
import { rowCounts } from '../support/raw-request.ts'
import { fieldsOf, type Page, redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn'] })
const partner = await server.partner()

const press = (visitor: Visitor, page: Page, more: Record<string, string> = {}) =>
  visitor.submit(page, '/connect', { decision: 'connect', ...more })

/** The number of a user's grants, live grants and connections in the database. */
async function countsOf(
  userId: string,
): Promise<{ grants: number; live: number; connections: number } | undefined> {
  const rows = await query<{ grants: number; live: number; connections: number }>(
    server.database,
    `SELECT count(DISTINCT g.id)::int AS grants, count(DISTINCT g.id) FILTER (WHERE g.revoked_at IS NULL)::int AS live,
            count(c.id)::int AS connections
       FROM grants g LEFT JOIN connections c ON c.grant_id = g.id WHERE g.user_id = $1`,
    [userId],
  )
  return rows[0]
}

describe('16: framing and posting from another site', () => {
  test('no page can be embedded in a frame', async () => {
    const visitor = await loggedIn(server, 'ada')
    const pages = [
      await new Visitor().get(`${server.authUrl}/login`),
      await authorize(visitor, server, partner),
      await visitor.get(`${server.authUrl}/connections`),
      await visitor.get(`${server.authUrl}/api/oauth2/authorize`),
      await visitor.get(`${server.authUrl}/no-such-page`),
    ]
    for (const { headers } of pages) {
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('x-frame-options')).toBe('DENY')
    }
  })

  test.each<Record<string, string>>([
    { origin: 'https://evil.example' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
  ])('a cross-site POST to connect or disconnect: 403, and nothing changes (%j)', async (headers) => {
    const visitor = await loggedIn(server, 'ada')
    await connect(server, partner, 'ada', {}, visitor)
    const page = await authorize(visitor, server, partner)
    const confirmation = await disconnectPage(visitor, server)
    const before = [await rowCounts(server), await countsOf('ada')]
    const stolen = await visitor.submit(page, '/connect', { decision: 'connect' }, headers)
    const ended = await visitor.submit(confirmation, '/connections/disconnect', {}, headers)
    // A real browser does not even send the cookie.
    const bare = new Visitor()
    const withoutCookie = await bare.post(
      `${server.authUrl}/connect`,
      { ...fieldsOf(page, '/connect'), decision: 'connect' },
      headers,
    )
    for (const refused of [stolen, ended, withoutCookie]) {
      expect([refused.status, refused.headers.get('location')]).toEqual([403, null])
    }
    expect([await rowCounts(server), await countsOf('ada')]).toEqual(before)
  })
})

describe('17: the connect page submitted more than once, by another user, or altered', () => {
  test('twice in a row: one grant, one connection, the same code', async () => {
    const visitor = await loggedIn(server, 'bob')
    const page = await authorize(visitor, server, partner, { state: 's' })
    const first = await press(visitor, page)
    const second = await press(visitor, page)
    expect(first.status).toBe(303)
    expect(second.headers.get('location')).toBe(first.headers.get('location'))
    expect(await countsOf('bob')).toEqual({ grants: 1, live: 1, connections: 1 })
    const code = redirectOf(second)?.searchParams.get('code') ?? ''
    expect((await token(server, partner, { grant_type: 'authorization_code', code })).status).toBe(200)
  })

  test('16 times at once: one grant, one connection, the same code in every redirect', async () => {
    const visitor = await loggedIn(server, 'cleo')
    for (const connections of [1, 2]) {
      const page = await authorize(visitor, server, partner)
      const pages = await Promise.all(Array.from({ length: 16 }, () => press(visitor, page)))
      expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 303))
      expect(new Set(pages.map(({ headers }) => headers.get('location'))).size).toBe(1)
      expect(await countsOf('cleo')).toEqual({ grants: 1, live: 1, connections })
    }
  })

  test('again after the code was redeemed: no second code, and the tokens stay alive', async () => {
    const visitor = await loggedIn(server, 'ada')
    const page = await authorize(visitor, server, partner)
    const code = redirectOf(await press(visitor, page))?.searchParams.get('code') ?? ''
    const { body } = await token(server, partner, { grant_type: 'authorization_code', code })
    const again = await Promise.all(Array.from({ length: 4 }, () => press(visitor, page)))
    expect(again.map(({ status, headers }) => [status, headers.get('location')])).toEqual(
      again.map(() => [409, null]),
    )
    expect((await api(server, 'households', String(body.access_token))).status).toBe(200)
  })

  test('again after disconnecting: the old page does not restore consent', async () => {
    const visitor = await loggedIn(server, 'dan')
    const page = await authorize(visitor, server, partner)
    const code = redirectOf(await press(visitor, page))?.searchParams.get('code') ?? ''
    await disconnect(visitor, server)
    const again = await press(visitor, page)
    expect([again.status, again.headers.get('location')]).toEqual([409, null])
    expect(await countsOf('dan')).toEqual({ grants: 1, live: 0, connections: 1 })
    expect((await token(server, partner, { grant_type: 'authorization_code', code })).body.error).toBe(
      'invalid_grant',
    )
    // The page explains how to continue. A new request does restore consent.
    const fresh = await visitor.follow(await visitor.get(recoveryLink(again, 'Start again')))
    expect(redirectOf(await press(visitor, fresh))?.searchParams.get('code')).toMatch(/^lk_test_ac_/)
    expect(await countsOf('dan')).toEqual({ grants: 2, live: 1, connections: 2 })
  })

  test('tampered: every part of the sealed request, cut, replaced or invented', async () => {
    const visitor = await loggedIn(server, 'ada')
    const page = await authorize(visitor, server, partner)
    const { request = '' } = fieldsOf(page, '/connect')
    const before = await rowCounts(server)
    const [header = '', key = '', iv = '', text = '', tag = ''] = request.split('.')
    expect(tag).not.toBe('')
    const flip = (part: string) => `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`
    const plain = Buffer.from(JSON.stringify({ request: { clientId: partner.clientId } })).toString(
      'base64url',
    )
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const rsa = Buffer.from('{"alg":"RSA-OAEP","enc":"A256GCM"}').toString('base64url')
    const forged = [
      [header, key, iv, flip(text), tag].join('.'),
      [header, key, iv, text, flip(tag)].join('.'),
      [header, key, iv, text, tag.slice(0, 5)].join('.'),
      [header, key, flip(iv), text, tag].join('.'),
      [flip(header), key, iv, text, tag].join('.'),
      [none, key, iv, text, tag].join('.'),
      [rsa, 'AAAA', iv, text, tag].join('.'),
      [header, key, iv, plain, tag].join('.'),
      `${none}.${plain}.`,
      plain,
      request.slice(0, -1),
      `${request}A`,
      `${request}=`,
      // Decodes to the same bytes: the last four bits of the last of 22 characters are unused.
      request.slice(0, -1) + { A: 'B', Q: 'R', g: 'h', w: 'x' }[request.slice(-1)],
      'x',
    ]
    for (const changed of forged) {
      const refused = await press(visitor, page, { request: changed })
      expect([refused.status, refused.headers.get('location')]).toEqual([400, null])
    }
    expect(await rowCounts(server)).toEqual(before)
    expect((await press(visitor, page)).status).toBe(303)
  })

  test('other fields have no effect: only the sealed request counts', async () => {
    const visitor = await loggedIn(server, 'ada')
    const page = await authorize(visitor, server, partner, { state: 'mine' })
    const more = {
      redirect_uri: 'https://evil.example/',
      client_id: 'x',
      state: 'theirs',
      user_id: 'bob',
      scope: 'all',
    }
    const answer = redirectOf(await press(visitor, page, more))
    expect(`${answer?.origin}${answer?.pathname}`).toBe(partner.redirectUri)
    expect(answer?.searchParams.get('state')).toBe('mine')
    for (const decision of ['', 'yes', 'CONNECT', '__proto__']) {
      expect((await press(visitor, page, { decision })).status).toBe(400)
    }
  })

  test('the sealed request in the address bar differs from the one on the page: no user can connect without seeing the page', async () => {
    const visitor = await loggedIn(server, 'ada')
    const page = await authorize(visitor, server, partner)
    const fromAddress = new URL(page.url).searchParams.get('request') ?? ''
    expect(fromAddress).not.toBe('')
    const refused = await press(visitor, page, { request: fromAddress })
    expect([refused.status, refused.headers.get('location')]).toEqual([403, null])
  })

  test('user B submitting user A’s page: 403 with a recovery link', async () => {
    const ada = await loggedIn(server, 'ada')
    const page = await authorize(ada, server, partner)
    const bob = await loggedIn(server, 'finn')
    const own = await authorize(bob, server, partner)
    const before = await rowCounts(server)
    const { request: sealed = '' } = fieldsOf(page, '/connect')
    const withOwnToken = await press(bob, own, { request: sealed })
    const withHerToken = await bob.post(`${server.authUrl}/connect`, {
      ...fieldsOf(page, '/connect'),
      decision: 'connect',
    })
    const cancelled = await bob.submit(own, '/connect', { request: sealed, decision: 'cancel' })
    for (const refused of [withOwnToken, withHerToken, cancelled]) {
      expect([refused.status, refused.headers.get('location')]).toEqual([403, null])
      expect(isConnectPage(await bob.follow(await bob.get(recoveryLink(refused))))).toBe(true)
    }
    expect(await rowCounts(server)).toEqual(before)
  })

  test('another login in the same browser invalidates the open page', async () => {
    const visitor = await loggedIn(server, 'ada')
    const page = await authorize(visitor, server, partner)
    await logIn(visitor, await visitor.get(`${server.authUrl}/login`), 'finn')
    expect((await press(visitor, page)).status).toBe(403)
    expect(await countsOf('finn')).toMatchObject({ grants: 0 })
  })

  test('logged out meanwhile: 403, and the recovery link leads to the login', async () => {
    const visitor = await loggedIn(server, 'ada')
    const page = await authorize(visitor, server, partner)
    await query(server.database, 'DELETE FROM sessions')
    const refused = await press(visitor, page)
    expect(refused.status).toBe(403)
    const login = await visitor.follow(await visitor.get(recoveryLink(refused)))
    expect(isConnectPage(await logIn(visitor, login, 'ada'))).toBe(true)
  })
})

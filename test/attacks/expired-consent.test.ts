import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { codeFor, issued, tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { expire, grantsOf } from '../support/grants.ts'
import { api, authorize, connect, refresh, send, token } from '../support/journey.ts'
import { answerOf, isLoginPage, loggedIn } from '../support/pages.ts'
import { allNames, seeAll, sharedOn } from '../support/shared-data.ts'
import { fieldsOf, redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture({
  users: [
    ...['ada', 'bob', 'cleo', 'dan', 'eve'],
    { id: 'other', firm: 'firm-2' },
    { id: 'granted', sees: 'granted', access: ['a1', 'b1', 'closed'] },
  ],
  households: [
    ...['h1', 'h2', 'h3'],
    { id: 'g1', firm: 'firm-2', name: 'Secret household' },
    { id: 'g2', firm: 'firm-2', name: 'Secret household' },
  ],
  accounts: [
    { id: 'a1', household: 'h1' },
    { id: 'a2', household: 'h1' },
    { id: 'closed', household: 'h3', status: 'closed' },
    { id: 'b1', household: 'g1' },
  ],
  grantLifetimeDays: 90,
})
const partner = await server.partner()

const reason = /The consent of the user has expired\. Ask the user to connect again\./

/** Every use of these tokens is refused, and says why. */
async function expectExpired(accessToken: string, refreshToken: string): Promise<void> {
  const read = await api(server, 'households', accessToken)
  expect([read.status, read.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(reason)])
  for (const address of ['api/v2/households', 'oauth2/userinfo']) {
    const answer = await send(`${server.baseUrl}${address}`, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
    expect(answer.status).toBe(401)
  }
  const refreshed = await refresh(server, partner, refreshToken)
  expect([refreshed.status, refreshed.body]).toEqual([
    400,
    expect.objectContaining({ error: 'invalid_grant', error_description: expect.stringMatching(reason) }),
  ])
  for (const one of [accessToken, refreshToken]) {
    expect((await token(server, partner, { token: one }, 'introspect')).body).toEqual({ active: false })
  }
}

describe('78: an expired consent', () => {
  test('78: its tokens and codes are refused with the next request, and stay refused after the user has connected again', async () => {
    const visitor = await loggedIn(server, 'ada')
    const old = await tokensFor(server, partner, 'ada')
    const code = await codeFor(server, partner, 'ada')
    expect((await api(server, 'households', old.accessToken)).status).toBe(200)
    await expire(server, 'ada')
    await expectExpired(old.accessToken, old.refreshToken)
    const redeemed = await token(server, partner, { grant_type: 'authorization_code', code })
    expect([redeemed.body.error, redeemed.body.error_description]).toEqual([
      'invalid_grant',
      expect.stringMatching(reason),
    ])
    const silent = await authorize(visitor, server, partner, { prompt: 'none' })
    expect(answerOf(partner, silent)).toMatchObject({ error: 'consent_required' })

    const answer = await connect(server, partner, 'ada', {}, visitor)
    const redeemedAgain = { grant_type: 'authorization_code', code: answer.searchParams.get('code') ?? '' }
    const fresh = issued(await token(server, partner, redeemedAgain))
    expect((await api(server, 'households', fresh.accessToken)).status).toBe(200)
    await expectExpired(old.accessToken, old.refreshToken)
    expect(decodeJwt(fresh.idToken).sub).toBe(decodeJwt(old.idToken).sub)
    expect((await grantsOf(server, 'ada')).map(({ live }) => live)).toEqual([false, true])
  })

  test('78: pages that connect at the same moment after the end leave one live grant, and each code works', async () => {
    const old = await tokensFor(server, partner, 'bob')
    for (let round = 1; round <= 5; round++) {
      await expire(server, 'bob')
      const codes = await Promise.all(Array.from({ length: 6 }, () => codeFor(server, partner, 'bob')))
      const grants = await grantsOf(server, 'bob')
      expect(grants.map(({ live }) => live)).toEqual([...Array(round).fill(false), true])
      for (const code of codes.slice(0, 2)) {
        expect((await token(server, partner, { grant_type: 'authorization_code', code })).status).toBe(200)
      }
      expect((await api(server, 'households', old.accessToken)).status).toBe(401)
    }
  })
})

describe('78: a renewal', () => {
  test('78: of another user’s consent, without the form’s token, or of an expired consent changes nothing', async () => {
    const { accessToken } = await tokensFor(server, partner, 'cleo')
    const [grant] = await grantsOf(server, 'cleo')
    const id = grant?.id ?? ''
    await tokensFor(server, partner, 'dan')
    const renew = async (visitor: Visitor, fields: Record<string, string>) => {
      const page = await visitor.get(`${server.authUrl}/connections`)
      const own = fieldsOf(page, '/logout')
      return visitor.post(`${server.authUrl}/connections/renew`, { ...own, grant: id, ...fields })
    }
    const shorten = `UPDATE grants SET expires_at = now() + interval '5 days' WHERE user_id = 'cleo'`
    await server.database.withConnection((client) => client.query(shorten))
    const [dan, cleo] = [await loggedIn(server, 'dan'), await loggedIn(server, 'cleo')]
    expect((await renew(dan, {})).status).toBe(303)
    expect((await renew(cleo, { _csrf: 'x' })).status).toBe(403)
    expect((await renew(cleo, { grant: '1 OR 1=1' })).status).toBe(400)
    expect(redirectOf(await new Visitor().post(`${server.authUrl}/connections/renew`, { grant: id }))).toBe(
      undefined,
    )
    expect((await grantsOf(server, 'cleo')).map(({ days }) => days)).toEqual([5])
    await expire(server, 'cleo')
    expect((await renew(cleo, {})).status).toBe(303)
    expect((await grantsOf(server, 'cleo')).map(({ live }) => live)).toEqual([false])
    expect((await api(server, 'households', accessToken)).status).toBe(401)
  })
})

describe('78: the numbers and names on the connect page', () => {
  const connectPage = async (visitor: Visitor) => authorize(visitor, server, partner)

  test('78: leave out households of other firms, even with an access row, and count only active accounts', async () => {
    const granted = await connectPage(await loggedIn(server, 'granted'))
    expect(sharedOn(granted)).toEqual({
      households: '2 households',
      names: ['h1', 'h3'],
      accounts: '1 active account',
    })
    const whole = await connectPage(await loggedIn(server, 'eve'))
    expect(sharedOn(whole)).toMatchObject({ households: '3 households', accounts: '2 active accounts' })
    for (const page of [granted, whole]) expect(page.text).not.toContain('Secret')
  })

  test('78: the list of households is that of the user who is logged in, regardless of whose page linked to it', async () => {
    const others = await loggedIn(server, 'other')
    const address = seeAll(await connectPage(others)) ?? ''
    expect(await allNames(others, address)).toEqual(['Secret household', 'Secret household'])
    expect(await allNames(await loggedIn(server, 'granted'), address)).toEqual(['h1', 'h3'])
    const stranger = new Visitor()
    const login = await stranger.follow(await stranger.get(address))
    expect(isLoginPage(login)).toBe(true)
    expect(login.text).not.toContain('Secret')
    const forged = await others.get(address.replace(/request=.{20}/, 'request='))
    expect([forged.status, forged.text.includes('Secret')]).toEqual([400, false])
  })
})

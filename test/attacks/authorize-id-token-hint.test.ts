import { describe, expect, test } from 'vitest'
import { issued, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { claimsOf, forgeries, signedHint } from '../support/id-token.ts'
import { authorize, logIn, token } from '../support/journey.ts'
import { answerOf, everyWay, isConnectPage, isLoginPage, loggedIn, parametersFor } from '../support/pages.ts'
import { rowCounts } from '../support/raw-request.ts'
import { Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada', 'bob', 'cleo'] })
const partner = await server.partner()
/** The id_token that the partner received for Ada. */
const hint = (await tokensFor(server, partner, 'ada')).idToken
await tokensFor(server, partner, 'bob')

describe('6: an invalid id_token_hint', () => {
  test('a forgery: invalid_request, in each form of the request', async () => {
    for (const [what, forged] of await forgeries(server, hint)) {
      const parameters = parametersFor(partner, { id_token_hint: forged, prompt: 'none', state: 's' })
      for (const page of await Promise.all(everyWay(server, parameters))) {
        const answer = answerOf(partner, page)
        expect(answer, what).toMatchObject({ error: 'invalid_request', state: 's', iss: server.authUrl })
        expect(answer.error_description).toContain('id_token_hint')
      }
    }
  })

  test('issued to another client, by another issuer, or to several: invalid_request', async () => {
    const { sub } = claimsOf(hint)
    const other = await server.partner({ name: 'Other' })
    for (const refused of [
      (await tokensFor(server, other, 'ada')).idToken,
      await signedHint(server, partner, { sub, iss: 'https://evil.example' }),
      await signedHint(server, partner, { sub, aud: [partner.clientId, other.clientId] }),
    ]) {
      const page = await authorize(new Visitor(), server, partner, { id_token_hint: refused })
      expect(answerOf(partner, page).error).toBe('invalid_request')
    }
  })
})

describe('6: an id_token_hint with prompt=none', () => {
  const silent = async (visitor: Visitor, idTokenHint: string) =>
    answerOf(
      partner,
      await authorize(visitor, server, partner, { id_token_hint: idTokenHint, prompt: 'none' }),
    )

  test('of the user who is logged in: a code for that subject, even if the hint has expired', async () => {
    const visitor = await loggedIn(server, 'ada')
    const expired = await signedHint(server, partner, { sub: claimsOf(hint).sub, iat: 1, exp: 2 })
    for (const accepted of [hint, expired]) {
      const { code = '' } = await silent(visitor, accepted)
      const redeemed = await token(server, partner, { grant_type: 'authorization_code', code })
      expect(claimsOf(issued(redeemed).idToken).sub).toBe(claimsOf(hint).sub)
    }
  })

  test('of another user, connected or never: login_required, and no row is written', async () => {
    for (const userId of ['bob', 'cleo']) {
      const visitor = await loggedIn(server, userId)
      const before = await rowCounts(server)
      expect((await silent(visitor, hint)).error).toBe('login_required')
      expect(await rowCounts(server)).toEqual(before)
    }
  })

  test('of an unknown user, or with no user logged in: login_required', async () => {
    const unknown = await signedHint(server, partner, { sub: 'nobody' })
    expect((await silent(await loggedIn(server, 'ada'), unknown)).error).toBe('login_required')
    expect((await silent(new Visitor(), hint)).error).toBe('login_required')
  })

  test('of a user who has disconnected: the user is still known, so consent_required', async () => {
    const own = await server.partner({ name: 'Disconnected' })
    const { idToken } = await tokensFor(server, own, 'ada')
    await query(server.database, 'UPDATE grants SET revoked_at = now() WHERE client_id = $1', [own.clientId])
    const visitor = await loggedIn(server, 'ada')
    const page = await authorize(visitor, server, own, { id_token_hint: idToken, prompt: 'none' })
    expect(answerOf(own, page).error).toBe('consent_required')
  })
})

describe('6: an id_token_hint with pages', () => {
  const ask = (visitor: Visitor) => authorize(visitor, server, partner, { id_token_hint: hint, state: 's' })

  test('of the user who is logged in: the connect page', async () => {
    expect(isConnectPage(await ask(await loggedIn(server, 'ada')))).toBe(true)
  })

  test('while another user is logged in: the login page, so that the right user can log in', async () => {
    const visitor = await loggedIn(server, 'bob')
    const page = await ask(visitor)
    expect(isLoginPage(page)).toBe(true)
    const after = await logIn(visitor, page, 'ada')
    const answer = answerOf(partner, await visitor.submit(after, '/connect', { decision: 'connect' }))
    expect(answer.code).toBeDefined()
  })

  test('and the wrong user logs in again: the partner gets login_required and no code', async () => {
    for (const userId of ['bob', 'cleo']) {
      const visitor = await loggedIn(server, userId)
      const answer = answerOf(partner, await logIn(visitor, await ask(visitor), userId))
      expect(answer).toMatchObject({ error: 'login_required', state: 's', iss: server.authUrl })
      expect(answer.code).toBeUndefined()
    }
  })

  test('a page that was already submitted does not bypass the hint', async () => {
    const visitor = await loggedIn(server, 'ada')
    const page = await ask(visitor)
    const { code = '' } = answerOf(partner, await visitor.submit(page, '/connect', { decision: 'connect' }))
    await token(server, partner, { grant_type: 'authorization_code', code })
    const again = await visitor.submit(page, '/connect', { decision: 'connect' })
    expect(again.status).toBe(409)
    expect(again.document.querySelector('a.button')).toBeNull()
  })
})

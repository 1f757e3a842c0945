import { expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { linkUser } from '../../src/idp/providers.ts'
import { issued } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { claimsOf } from '../support/id-token.ts'
import { addTestProvider, continueWith, followAnywhere, identities, textOf } from '../support/idp.ts'
import { authorize, logIn, token } from '../support/journey.ts'
import { isConnectPage } from '../support/pages.ts'
import { isLoggedIn } from '../support/sessions.ts'
import { type Page, redirectOf, Visitor } from '../support/visitor.ts'

// Browsers do not separate cookies by port, so the two servers have different host names.
const platform = await serverFixture({ users: ['ada', 'eve'], host: '127.0.0.1' })
const server = await serverFixture({ users: ['ada'], households: ['h1'], host: 'localhost' })
const partner = await server.partner()
const client = await platform.partner({
  redirectUri: `${server.authUrl}/login/idp/platform/callback`,
  postLogoutRedirectUris: [`${server.authUrl}/idp/platform/logged-out`],
})
await addTestProvider(server, {
  id: 'platform',
  name: 'Platform',
  issuer: platform.authUrl,
  clientId: client.clientId,
  secret: client.clientSecret,
  scope: 'openid',
})

/** Logs in at the platform and consents there. */
async function through(visitor: Visitor, userId: string): Promise<Page> {
  const page = await continueWith(visitor, await authorize(visitor, server, partner), 'platform')
  const consent = isConnectPage(page) ? page : await logIn(visitor, page, userId)
  return followAnywhere(visitor, await visitor.submit(consent, '/connect', { decision: 'connect' }))
}

test('another Latchkey as provider: its subjects are unknown here until the operator links one', async () => {
  const visitor = new Visitor()
  const refused = await through(visitor, 'ada')
  expect(refused.status).toBe(403)
  // The page tells the user what support needs: the subject.
  const sub = refused.document.querySelector('code.received')?.text ?? ''
  expect(textOf(refused)).toContain(`You signed in at Platform as ${sub}`)
  const { database } = server
  expect(
    await linkUser(database, systemOrigin, { id: 'platform', sub, user: 'ada@example.com' }),
  ).toMatchObject({
    kind: 'done',
  })
  expect(await identities(server)).toEqual([`platform ${sub} ada`])

  const connect = await through(visitor, 'ada')
  expect(textOf(connect)).toContain('User ada')
  const answer = redirectOf(await visitor.submit(connect, '/connect', { decision: 'connect' }))
  const code = answer?.searchParams.get('code') ?? ''
  const { idToken } = issued(await token(server, partner, { grant_type: 'authorization_code', code }))
  expect(claimsOf(idToken)).toMatchObject({ acr: 'urn:latchkey:acr:password', amr: ['pwd'] })

  const account = await visitor.get(`${server.authUrl}/connections`)
  const out = await followAnywhere(visitor, await visitor.submit(account, '/logout', {}))
  expect(out.url).toMatch(new RegExp(`^${server.authUrl}/idp/platform/logged-out`))
  expect([await isLoggedIn(visitor, server), await isLoggedIn(visitor, platform)]).toEqual([false, false])
})

test('another user of that provider, who cancels or is not linked, gets no session', async () => {
  const visitor = new Visitor()
  expect((await through(visitor, 'eve')).status).toBe(403)
  const page = await continueWith(visitor, await authorize(visitor, server, partner), 'platform')
  const cancelled = await followAnywhere(
    visitor,
    await visitor.submit(page, '/connect', { decision: 'cancel' }),
  )
  expect([cancelled.status, textOf(cancelled)]).toEqual([403, expect.stringContaining('was cancelled')])
  expect(await isLoggedIn(visitor, server)).toBe(false)
})

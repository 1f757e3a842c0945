import { expect, test } from 'vitest'
import { serverFixture } from '../support/fixtures.ts'
import { followAnywhere, foreignProvider, signInAs } from '../support/foreign-provider.ts'
import { addTestProvider } from '../support/idp.ts'
import { authorize } from '../support/journey.ts'
import { isConnectPage } from '../support/pages.ts'
import { Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada', 'bob'], host: 'localhost' })
const partner = await server.partner()
const provider = await foreignProvider(() => ({
  client_id: 'latchkey',
  client_secret: 'a client secret of more than 32 bytes, for tests',
  redirect_uris: [`${server.authUrl}/login/idp/northbridge/callback`],
  post_logout_redirect_uris: [`${server.authUrl}/idp/northbridge/logged-out`],
  backchannel_logout_uri: `${server.authUrl}/idp/northbridge/backchannel-logout`,
}))
provider.accounts.set('sub-ada', { email: 'ada@example.com', email_verified: true })
await addTestProvider(server, { id: 'northbridge', issuer: provider.issuer })

test('a user logs in through the provider', async () => {
  const visitor = new Visitor()
  const page = await authorize(visitor, server, partner)
  const there = await followAnywhere(visitor, await visitor.submit(page, '/login/idp/northbridge', {}))
  const connect = await signInAs(visitor, there, 'sub-ada')
  expect(connect.text).toContain('User ada')
  expect(isConnectPage(connect)).toBe(true)
})

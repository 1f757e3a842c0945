import { expect, test } from 'vitest'
import { serverFixture } from '../support/fixtures.ts'
import { loggedIn, recoveryLink } from '../support/pages.ts'
import { redirectOf } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada'] })
const partner = await server.partner({ postLogoutRedirectUris: ['https://partner.example/bye'] })

test.each([
  ['/login', '/login', '/login'],
  ['/login?page=sessions', '/login', '/login?page=sessions'],
  ['/password', '/password', '/password'],
  ['/sessions', '/sessions/end', '/sessions'],
])('an outdated form of %s leads back to its page', async (address, action, back) => {
  const visitor = await loggedIn(server, 'ada')
  const page = await visitor.get(`${server.authUrl}${address}`)
  const stale = await visitor.submit(page, action, { _csrf: 'x' })
  expect(stale.status).toBe(403)
  expect(recoveryLink(stale, 'Try again')).toBe(`${server.authUrl}${back}`)
})

test('a logout that a partner requested can continue from an outdated page', async () => {
  const visitor = await loggedIn(server, 'ada')
  const params = new URLSearchParams({
    client_id: partner.clientId,
    post_logout_redirect_uri: 'https://partner.example/bye',
  })
  const page = await visitor.follow(await visitor.get(`${server.authUrl}/api/oauth2/logout?${params}`))
  const stale = await visitor.submit(page, '/logout', { _csrf: 'x' })
  expect(stale.status).toBe(403)
  const again = await visitor.get(recoveryLink(stale, 'Try again'))
  const done = await visitor.follow(await visitor.submit(again, '/logout', {}))
  expect(redirectOf(done)?.href).toBe('https://partner.example/bye')
})

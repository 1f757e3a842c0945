import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { emailOf, password, seed } from '../support/directory.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'
import { authorizeUrl } from '../support/journey.ts'

// To a browser, `localhost` and `127.0.0.1` are different sites. The server is on one, the partner on the other.

/** A partner's site: a Connect button as in contract section 4.1, and a callback that redirects to another of its hosts. */
const partnerSite: RequestListener = (request, response) => {
  const { pathname, search, port } = new URL(request.url ?? '/', origin)
  if (pathname === '/callback') {
    response.writeHead(302, { location: `http://localhost:${port}/arrived${search}` }).end()
    return
  }
  const form = `<form method="post" action="${authorizeUrl(server, partner, { state: 'kept' }).replaceAll('&', '&amp;')}"><button>Connect</button></form>`
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(pathname === '/arrived' ? '<h1>Arrived</h1>' : form)
}

const site = createServer(partnerSite).listen(0, '127.0.0.1')
await new Promise((listening) => site.once('listening', listening))
const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
const server = await serverFixture({ host: 'localhost' })
const partner = await server.partner({ redirectUri: `${origin}/callback` })
await seed(server.database, { users: ['ada'] })
const browser = await browserFixture()
const page = await browser.newPage()
afterAll(() => site?.close())

test("the contract's own POST from another site leads through login and connect, and back over the partner's own redirects", async () => {
  await page.goto(origin)
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByLabel('Email address').fill(emailOf('ada'))
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('heading', { name: 'Arrived' }).waitFor()
  const { searchParams } = new URL(page.url())
  expect(searchParams.get('state')).toBe('kept')
  expect(searchParams.get('code')).toMatch(/^lk_test_ac_/)
})

test('a logged-in user reaches the connect page at once: the browser sends the session cookie after the 303, although not with the POST', async () => {
  await page.goto(origin)
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByRole('heading', { name: 'Connect Test Partner to your Latchkey account?' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('heading', { name: 'Arrived' }).waitFor()
  expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
})

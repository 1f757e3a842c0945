import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { screenshot } from '../support/browser.ts'
import { tokensFor } from '../support/connection.ts'
import { emailOf, password, seed } from '../support/directory.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'

// To a browser, `localhost` and `127.0.0.1` are different sites. The server is on one, the partner on the other.
let page: Page
/** The fields of the partner's Log out button. */
let fields: Record<string, string>

const site = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', origin)
  const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`)
  const form = `<form method="post" action="${server.authUrl}/api/oauth2/logout">${inputs.join('')}<button>Leave</button></form>`
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(pathname === '/bye' ? '<h1>Bye</h1>' : form)
}).listen(0, '127.0.0.1')
await new Promise((listening) => site.once('listening', listening))
const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
const server = await serverFixture({ host: 'localhost' })
const partner = await server.partner({ postLogoutRedirectUris: [`${origin}/bye`] })
await seed(server.database, { users: ['ada'] })
const browser = await browserFixture()
afterAll(() => site?.close())
beforeEach(async () => {
  page = await browser.newPage()
  await page.goto(`${server.authUrl}/login`)
  await page.getByLabel('Email address').fill(emailOf('ada'))
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Connected apps' }).waitFor()
})

async function expectLoggedOut(): Promise<void> {
  await page.goto(`${server.authUrl}/connections`)
  expect(new URL(page.url()).pathname).toBe('/login')
}

test("the partner's POST from another site, with an id_token, logs out and comes straight back", async () => {
  const { idToken } = await tokensFor(server, partner, 'ada')
  fields = { id_token_hint: idToken, post_logout_redirect_uri: `${origin}/bye`, state: 'kept' }
  await page.goto(origin)
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Bye' }).waitFor()
  expect(new URL(page.url()).searchParams.get('state')).toBe('kept')
  await expectLoggedOut()
})

test('without an id_token the user must confirm, and the button leads back to the other site', async () => {
  fields = { client_id: partner.clientId, post_logout_redirect_uri: `${origin}/bye` }
  await page.goto(origin)
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Sign out?' }).waitFor()
  await screenshot(page, 'logout')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Bye' }).waitFor()
  await expectLoggedOut()
})

import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { pageFaults } from '../support/accessibility.ts'
import { screenshot } from '../support/browser.ts'
import { query } from '../support/database.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'
import { foreignProvider } from '../support/foreign-provider.ts'
import { addTestProvider, clientSecret } from '../support/idp.ts'

// To a browser, `localhost` and `127.0.0.1` are different sites. The server is on one, the provider on the other.
const server = await serverFixture({ users: ['ada'], host: 'localhost' })
const provider = await foreignProvider({
  client_id: 'latchkey',
  client_secret: clientSecret,
  redirect_uris: [`${server.authUrl}/login/idp/northbridge/callback`],
  post_logout_redirect_uris: [`${server.authUrl}/idp/northbridge/logged-out`],
})
provider.accounts.set('sub-ada', { email: 'ada@example.com', email_verified: true })
await addTestProvider(server, { id: 'northbridge', issuer: provider.issuer })
const browser = await browserFixture()

let page: Page
beforeEach(async () => {
  page = await browser.newPage()
})

/** On the page of the provider. */
async function signIn(account = 'sub-ada'): Promise<void> {
  await page.getByLabel('Account').fill(account)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

test('by the button to the provider and back, and the logout passes through the provider', async () => {
  await page.goto(`${server.authUrl}/connections`)
  await screenshot(page, 'idp-login')
  expect(await pageFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Continue with Northbridge' }).click()
  await signIn()
  await page.getByRole('heading', { name: 'Connected apps' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  expect(page.url()).toContain(`${server.authUrl}/idp/northbridge/logged-out`)
})

test('the only provider is used at once, also behind a form whose page allows forms to this site only', async () => {
  await query(server.database, 'UPDATE firms SET local_passwords = false')
  await page.goto(`${server.authUrl}/sessions`)
  await signIn()
  await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  await query(server.database, 'DELETE FROM sessions')
  await page.getByRole('button', { name: 'End session' }).click()
  // The session at the provider is still there.
  await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  await query(server.database, 'UPDATE firms SET local_passwords = true')
})

test('an account without a user: the page says so, and leads to another account', async () => {
  provider.accounts.set('sub-x', { email: 'x@example.com', email_verified: true })
  await page.goto(`${server.authUrl}/login`)
  await page.getByRole('button', { name: 'Continue with Northbridge' }).click()
  await signIn('sub-x')
  await page.getByRole('heading', { name: 'We found no account for you here' }).waitFor()
  await screenshot(page, 'idp-no-account')
  expect(await pageFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Use another account' }).click()
  await page.getByRole('button', { name: 'Continue with Northbridge' }).click()
  await signIn()
  await page.getByRole('heading', { name: 'Connected apps' }).waitFor()
})

import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { screenshot } from '../support/browser.ts'
import { query } from '../support/database.ts'
import { emailOf, password, seed } from '../support/directory.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'

// A real browser with its own virtual authenticator (WebDriver extension of WebAuthn section 11, over CDP).
const server = await serverFixture({ host: 'localhost' })
await seed(server.database, { users: ['ada'] })
const browser = await browserFixture()
let context: BrowserContext
let page: Page
let cdp: CDPSession
let authenticatorId: string

beforeAll(async () => {
  context = await browser.newContext()
  page = await context.newPage()
  cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const added = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  authenticatorId = added.authenticatorId
})

async function typePassword(): Promise<void> {
  await page.goto(`${server.authUrl}/login?page=security`)
  await page.getByLabel('Email address').fill(emailOf('ada'))
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function signOut(): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(/\/login/)
}

test('a passkey is added, shown with its name, and brings recovery codes', async () => {
  await typePassword()
  await page.getByLabel('Name').fill('My laptop')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor()
  expect(await page.locator('.recovery-codes code').count()).toBe(10)
  expect(await accessibilityFaults(page)).toEqual([])
  await screenshot(page, 'recovery-codes')
  await page.getByRole('link', { name: 'I have kept them' }).click()
  await page.getByText('Your passkey is added.').waitFor()
  await page.getByText('My laptop').waitFor()
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
  expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }])
  await signOut()
})

test('it signs in alone, without a password', async () => {
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('heading', { name: 'Connected apps' }).waitFor()
  const [session] = await query(server.database, 'SELECT acr, amr FROM sessions')
  expect(session).toEqual({ acr: 'urn:latchkey:acr:phishing-resistant', amr: ['pop', 'user', 'mfa'] })
  await page.goto(`${server.authUrl}/security`)
  expect(await accessibilityFaults(page)).toEqual([])
  await screenshot(page, 'security')
  await signOut()
})

test('it is the second factor after the password', async () => {
  await typePassword()
  await page.getByRole('heading', { name: 'Confirm it is you' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await screenshot(page, 'second-factor')
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('heading', { name: 'Security' }).waitFor()
})

test('a user who is not verified by the device gets a message on the page and stays there', async () => {
  await signOut()
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByText('The passkey was not used. Try again.').waitFor()
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('heading', { name: 'Connected apps' }).waitFor()
})

test('the app is set up by its key, and a page without script offers its code and says why there is no passkey', async () => {
  await page.goto(`${server.authUrl}/security/totp`)
  expect(await page.locator('svg.qr-code').boundingBox()).toMatchObject({ width: 200, height: 200 })
  expect(await accessibilityFaults(page)).toEqual([])
  await screenshot(page, 'totp')
  const withoutScript = await browser.newContext({ javaScriptEnabled: false })
  const quiet = await withoutScript.newPage()
  await quiet.goto(`${server.authUrl}/login`)
  await quiet.getByText('To use a passkey, switch on JavaScript').waitFor()
  expect(await quiet.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0)
  await withoutScript.close()
})

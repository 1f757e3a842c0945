import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { accessibilityFaults, overflow } from '../support/accessibility.ts'
import { screenshot } from '../support/browser.ts'
import { browserFixture } from '../support/fixtures.ts'
import { startLatchkey } from '../support/latchkey.ts'
import { freePort } from '../support/ports.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-newcomer-'))
const violations: string[] = []

const [port, opsPort, partnerPort] = [await freePort(), await freePort(), await freePort()]
const partnerUrl = `http://localhost:${partnerPort}`
const demo = await startLatchkey(['demo'], {
  LATCHKEY_DATA_DIR: dataDir,
  LATCHKEY_PORT: String(port),
  LATCHKEY_OPS_PORT: String(opsPort),
  PARTNER_URL: partnerUrl,
})
const browser = await browserFixture()
const context = await browser.newContext({ viewport: { width: 1000, height: 800 } })
const page = await context.newPage()
page.on('console', (message) => {
  if (/Content.Security.Policy/i.test(message.text())) violations.push(message.text())
})
afterAll(async () => {
  expect(await demo?.stop()).toBe(0)
  rmSync(dataDir, { recursive: true, force: true })
})

test('the terminal shows the logins and the address', () => {
  expect(demo.output).toContain(partnerUrl)
  expect(demo.output).toMatch(/ada@example\.com +demo-password-ada/)
  expect(demo.ready).toMatchObject({ partner_url: partnerUrl })
})

test('a newcomer connects the demo partner and sees households and accounts', async () => {
  await page.goto(partnerUrl)
  await screenshot(page, '1-partner')
  await page.getByRole('button', { name: 'Connect' }).click()

  await page.getByLabel('Email address').fill('ada@example.com')
  await page.getByLabel('Password').fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('Wrong email address or password')
  await screenshot(page, '2-login-refused')
  await page.getByLabel('Password').fill('demo-password-ada')
  await page.getByRole('button', { name: 'Sign in' }).click()

  await page.getByRole('heading', { name: 'Connect Sample Partner App to your Latchkey account?' }).waitFor()
  await screenshot(page, '3-connect')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()

  await page.getByRole('heading', { name: 'Households' }).waitFor()
  expect(new URL(page.url()).origin).toBe(partnerUrl)
  await screenshot(page, '4-households')
  const first = page.locator('main a[href^="/households/"]').first()
  await first.click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await screenshot(page, '5-accounts')
  expect(await page.locator('table tbody tr').count()).toBeGreaterThan(0)
})

test('searching and paging use the API', async () => {
  await page.goto(`${partnerUrl}/households`)
  const firstPage = await page.locator('main a[href^="/households/"]').allTextContents()
  await page.getByRole('link', { name: /next/i }).click()
  await page.waitForURL(/page/)
  const secondPage = await page.locator('main a[href^="/households/"]').allTextContents()
  expect(secondPage.length).toBeGreaterThan(0)
  expect(secondPage.some((name) => firstPage.includes(name) && !/unnamed/i.test(name))).toBe(false)

  await page.locator('input[name=name_pattern]').fill('MÜLLER')
  await page.locator('input[name=name_pattern]').press('Enter')
  await page.waitForURL(/name_pattern/)
  const found = await page.locator('main a[href^="/households/"]').allTextContents()
  expect(found.length).toBeGreaterThan(0)
  expect(found.every((name) => name.toLowerCase().includes('müller'))).toBe(true)
  await screenshot(page, '6-search')
})

test('the user disconnects under connected apps, and the open page of the partner shows it without a reload', async () => {
  const connections = await context.newPage()
  await page.goto(`${partnerUrl}/households`)
  await page.getByRole('heading', { name: 'Households' }).waitFor()
  await connections.goto(`${demo.ready.auth_url}/connections`)
  await screenshot(connections, '7-connected-apps')
  await connections.getByRole('link', { name: 'Disconnect Sample Partner App' }).click()
  await connections.getByRole('heading', { name: 'Disconnect Sample Partner App?' }).waitFor()
  await screenshot(connections, '7-disconnect')
  await connections.getByRole('button', { name: 'Disconnect' }).click()
  await connections.getByText('No apps are connected.').waitFor()
  await connections.close()
  await page.getByRole('heading', { name: 'Disconnected by the user' }).waitFor()
  await screenshot(page, '8-disconnected')
  await page.goto(`${partnerUrl}/households`)
  await page.getByText('Connect to see households.').waitFor()
})

test('Cancel leads back to the partner, which shows it', async () => {
  await page.goto(partnerUrl)
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.waitForURL((url) => url.origin === partnerUrl)
  await screenshot(page, '9-cancelled')
})

test('on a phone, light and dark: no accessibility faults, nothing wider than the window', async () => {
  const phone = await browser.newPage({ viewport: { width: 390, height: 844 } })
  const expectGood = async (name: string) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await phone.emulateMedia({ colorScheme, reducedMotion: 'reduce' }) // colours must not fade while axe reads them
      await screenshot(phone, `demo ${name} (390 pixels, ${colorScheme})`)
      expect.soft(await accessibilityFaults(phone), `${name}, ${colorScheme}`).toEqual([])
    }
    expect.soft(await overflow(phone), name).toBe(0)
  }
  await phone.goto(partnerUrl)
  await expectGood('home')
  await phone.getByRole('button', { name: 'Connect' }).click()
  await phone.getByLabel('Email address').fill('mei@example.org')
  await phone.getByLabel('Password').fill('demo-password-mei')
  await phone.getByRole('button', { name: 'Sign in' }).click()
  const connect = phone.getByRole('button', { name: 'Connect', exact: true })
  await connect.waitFor()
  expect(await overflow(phone)).toBe(0)
  await connect.click()
  await phone.getByRole('heading', { name: 'Households' }).waitFor()
  await expectGood('households')
  await phone.locator('main a[href^="/households/"]').first().click()
  await phone.getByRole('heading', { name: 'Accounts' }).waitFor()
  expect(await phone.getByRole('row').count()).toBeGreaterThan(1)
  expect(await phone.getByRole('cell').first().isVisible()).toBe(true)
  await expectGood('accounts')
  await phone.close()
})

test('no page violated its own Content Security Policy', () => {
  expect(violations).toEqual([])
})

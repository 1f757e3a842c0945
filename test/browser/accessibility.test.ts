import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, looks, overflow } from '../support/accessibility.ts'
import { launchBrowser, screenshot } from '../support/browser.ts'
import { emailOf, password, seed } from '../support/directory.ts'
import { authorizeUrl } from '../support/journey.ts'
import { type TestPartner, type TestServer, testServer } from '../support/server.ts'

let server: TestServer
let partner: TestPartner
let browser: Browser
beforeAll(async () => {
  server = await testServer()
  partner = await server.partner()
  await seed(server.database, { users: [{ id: 'ada' }] })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})
test.each(Object.keys(looks))('%s', async (name) => {
  const page = await browser.newPage(looks[name])
  await page.goto(`${authorizeUrl(server, partner)}&response_type=code`)
  expect.soft(await accessibilityFaults(page)).toEqual([])
  await page.getByLabel('Email address').fill(emailOf('ada'))
  await page.getByLabel('Password').fill('x')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  expect.soft(await accessibilityFaults(page)).toEqual([])
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Connect' }).waitFor()
  expect.soft(await accessibilityFaults(page)).toEqual([])
  await page.goto(`${server.authUrl}/nix`)
  expect.soft(await accessibilityFaults(page)).toEqual([])
})

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createPartner, importUsers, newDeployment } from '../support/deployment.ts'
import { emailOf, password } from '../support/directory.ts'
import { browserFixture, databaseFixture } from '../support/fixtures.ts'
import type { RunningLatchkey } from '../support/latchkey.ts'
import { partnerAppFixture } from '../support/partner-app-process.ts'
import { freePort } from '../support/ports.ts'

let server: RunningLatchkey

const db = await databaseFixture()
const deployment = await newDeployment({
  DATABASE_URL: db.url,
  LATCHKEY_SECRET: 'the secret of this deployment, 32 bytes or more',
})
const partnerUrl = `http://localhost:${await freePort()}`
await importUsers(deployment, ['ann'])
const partner = await createPartner(deployment, `${partnerUrl}/callback`)
server = await deployment.start()
await partnerAppFixture(deployment, partner, partnerUrl)
const browser = await browserFixture()
const page = await browser.newPage()
afterAll(async () => {
  expect(await server?.stop()).toBe(0)
  deployment?.remove()
})

test('the unchanged demo partner connects a user of an imported directory', async () => {
  await page.goto(partnerUrl)
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByLabel('Email address').fill(emailOf('ann'))
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Connect Test Partner to your Latchkey account?' }).waitFor()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('heading', { name: 'Households' }).waitFor()
  expect(new URL(page.url()).origin).toBe(partnerUrl)
  expect(await page.locator('main a[href^="/households/"]').allTextContents()).toEqual(['The Only Household'])
})

test('the partner shows the accounts of the household', async () => {
  await page.locator('main a[href="/households/h1"]').click()
  await page.waitForURL(`${partnerUrl}/households/h1`)
  expect(await page.locator('table tbody tr').count()).toBe(1)
  const cells = (await page.locator('table tbody td').allTextContents()).map((cell) => cell.trim())
  expect(cells[0]).toContain('Savings')
  expect(cells.slice(1)).toEqual(['deposit', '****1234', 'First Custodian', 'EUR', '2020-02-29', 'active'])
})

test('the connection survives a restart of the server', async () => {
  expect(await server.stop()).toBe(0)
  server = await deployment.start()
  await page.goto(`${partnerUrl}/households`)
  expect(await page.locator('main a[href^="/households/"]').allTextContents()).toEqual(['The Only Household'])
})

test('no embedded PostgreSQL was started, and no secret was stored', () => {
  expect(existsSync(join(deployment.dataDir, 'postgres'))).toBe(false)
  expect(existsSync(join(deployment.dataDir, 'secret'))).toBe(false)
})

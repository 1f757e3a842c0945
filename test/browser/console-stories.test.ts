import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { signedInContext } from '../support/browser.ts'
import { tokensFor } from '../support/connection.ts'
import { latestRecord } from '../support/console.ts'
import { query } from '../support/database.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { publishedKids } from '../support/keys.ts'
import { newOperator } from '../support/operators.ts'

const server = await serverFixture({
  users: ['ada', { id: 'bob', sees: 'granted', access: ['a1'] }],
  households: [
    { id: 'h1', name: 'Ashworth Family' },
    { id: 'h2', name: 'Miller Family' },
  ],
  accounts: [
    { id: 'a1', household: 'h1' },
    { id: 'a2', household: 'h2' },
  ],
})
await query(server.database, `UPDATE users SET name = 'Bob Carter' WHERE id = 'bob'`)
const operator = await newOperator(server, { name: 'Olive Owner' })
const browser = await browserFixture()

/** An operator works in the console. Afterwards, the audit log names the operator and the console. */
async function atConsole(work: (page: Page) => Promise<void>): Promise<void> {
  const context = await signedInContext(server, browser, operator.browser)
  const page = await context.newPage()
  await page.goto(`${server.authUrl}/admin`)
  await work(page)
  await context.close()
}

async function searchFor(page: Page, text: string): Promise<void> {
  await page.keyboard.press('/')
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Results for' }).waitFor()
}

/** Records of what operators have changed in the console. A story in which the operator only looks leaves none. */
async function changesByOperators(): Promise<number | undefined> {
  const rows = await query<{ rows: number }>(
    server.database,
    `SELECT count(*)::int AS rows FROM audit_log WHERE via = 'console' AND event NOT LIKE 'operator.%'`,
  )
  return rows[0]?.rows
}

const byOlive = { via: 'console', actor_name: 'Olive Owner' }
const callback = 'https://ledgerline.example/callback'

test('a new partner goes live: its operator gets a secret, and its first user connects', async () => {
  await atConsole(async (page) => {
    await page.getByRole('link', { name: 'Partners' }).first().click()
    await page.getByRole('link', { name: 'New partner' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Ledgerline')
    await page.getByLabel('Redirect URIs').fill(callback)
    await page.getByRole('button', { name: 'Register the partner' }).click()
    const clientId = await page.locator('main code.id').first().innerText()
    const clientSecret = await page.locator('.new-secret .id').innerText()
    expect(page.url()).not.toContain(clientSecret)

    await tokensFor(server, { clientId, clientSecret, redirectUri: callback }, 'ada')
    await page.getByRole('link', { name: 'Open the partner' }).click()
    await page.getByText('1 user, 1 connection').waitFor()
    expect(await page.content()).not.toContain(clientSecret)
    expect(await latestRecord(server, 'partner.created')).toMatchObject({ ...byOlive, target_id: clientId })
  })
})

test('"which app read my clients?": the search finds the household, and the page names the application and the day', async () => {
  const partner = await server.partner({ name: 'Harbor Reports' })
  const { accessToken } = await tokensFor(server, partner, 'ada')
  expect((await api(server, 'households', accessToken)).status).toBe(200)
  await server.context.readLog.write()
  const before = await changesByOperators()
  await atConsole(async (page) => {
    await searchFor(page, 'miller')
    await page.getByRole('link', { name: 'Miller Family' }).click()
    const row = page.getByRole('row').filter({ hasText: 'Harbor Reports' })
    expect(await row.innerText()).toContain(new Date().toISOString().slice(0, 10))
    await row.getByRole('link', { name: 'Which households' }).click()
    await page.getByText('Ashworth Family').waitFor()
    await page.getByText('Miller Family').waitFor()
  })
  expect(await changesByOperators()).toBe(before)
})

test('a secret leaked: support pastes the log line, and the secret no longer works', async () => {
  const partner = await server.partner({ name: 'Leaky App' })
  const support = await newOperator(server, {
    email: 'sam@platform.example',
    name: 'Sam Support',
    role: 'support',
  })
  const context = await signedInContext(server, browser, support.browser)
  const page = await context.newPage()
  await page.goto(`${server.authUrl}/admin/incidents`)
  await page.getByLabel('What was found').fill(`env: CLIENT_SECRET=${partner.clientSecret};`)
  await page.getByLabel('Where it was found').fill('https://paste.example/42')
  await page.getByRole('button', { name: 'End what leaked' }).click()
  await page.getByText('1 credential was found, and 1 was ended now.').waitFor()
  await page.getByText('give it a new one').waitFor()
  expect(await page.content()).not.toContain(partner.clientSecret)
  await expect(tokensFor(server, partner, 'ada')).rejects.toThrow('invalid_client')
  expect(await latestRecord(server, 'credential.leaked')).toMatchObject({
    ...{ via: 'console', actor_name: 'Sam Support', target_id: partner.clientId },
    details: { credential: 'client_secret', source: 'https://paste.example/42' },
  })
  await context.close()
})

test('"why can\'t I see the Miller household?": the operator finds the reason by the name of the household', async () => {
  const before = await changesByOperators()
  await atConsole(async (page) => {
    await searchFor(page, 'bob')
    await page.getByRole('link', { name: 'Bob Carter' }).click()
    await page.getByRole('link', { name: 'Why does the user see a household' }).click()
    await page.getByLabel('Household: id').fill('miller')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('link', { name: 'Miller Family' }).click()
    await page.getByText('the user has access to none of its accounts').waitFor()
    await page.getByText('Import an access row for one of its accounts').waitFor()
  })
  expect(await changesByOperators()).toBe(before)
})

test('a key was stolen: the owner removes it, and it leaves the JWKS at once', async () => {
  const [stolen] = await publishedKids(server)
  const kid = String(stolen)
  await atConsole(async (page) => {
    await searchFor(page, kid)
    await page.getByRole('link', { name: kid }).click()
    await page.getByRole('link', { name: `the key ${kid}` }).click()
    await page.getByLabel('Confirmation').fill('another key')
    await page.getByRole('button', { name: 'Remove the key' }).click()
    await page.getByText('type the key id exactly').waitFor()
    await page.getByLabel('Confirmation').fill(kid)
    await page.getByRole('button', { name: 'Remove the key' }).click()
    await page.getByText('The key is removed.').waitFor()
  })
  expect(await publishedKids(server)).not.toContain(kid)
  expect(await latestRecord(server, 'key.removed')).toMatchObject({ ...byOlive, target_id: kid })
})

import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { accessibilityFaults, overflow } from '../support/accessibility.ts'
import { screenshot } from '../support/browser.ts'
import { query } from '../support/database.ts'
import { emailOf, password } from '../support/directory.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'
import { grantsOf } from '../support/grants.ts'
import { authorizeUrl } from '../support/journey.ts'

const names = [
  'Ashworth',
  'Lefèvre',
  'Nguyễn',
  'דוחות',
  ...Array.from({ length: 116 }, (_, n) => `Household ${n + 5}`),
]
const idOf = (place: number) => `h${String(place).padStart(3, '0')}`
const server = await serverFixture({
  host: 'localhost',
  users: ['ada', 'bob'],
  households: names.map((name, place) => ({ id: idOf(place), name })),
  accounts: names.map((_, place) => ({ id: `a${place}`, household: idOf(place) })),
  grantLifetimeDays: 90,
})
const partner = await server.partner({ name: 'Sample Partner App', redirectUri: `${server.authUrl}/arrived` })
await query(
  server.database,
  `UPDATE partners SET privacy_url = 'https://partner.example/privacy', description = 'Reports for your households.'`,
)
const browser = await browserFixture()

const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const
const desktop = {
  viewport: { width: 1280, height: 800 },
  colorScheme: 'light',
  javaScriptEnabled: false,
} as const

async function expectGood(page: Page, step: string): Promise<void> {
  await screenshot(page, `sharing ${step}`)
  expect.soft(await accessibilityFaults(page, { contrast: 'AAA' }), step).toEqual([])
  expect.soft(await overflow(page), step).toBe(0)
}

/** Looks at the households, connects, renews and disconnects. `look` is called on each page. */
async function share(
  options: BrowserContextOptions,
  userId: string,
  look: (page: Page, step: string) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ ...options, locale: 'en' })
  const page = await context.newPage()
  await page.goto(authorizeUrl(server, partner, { response_type: 'code' }))
  await page.locator('[name=email]').fill(emailOf(userId))
  await page.locator('[name=password]').fill(password)
  await page.keyboard.press('Enter')
  await page.getByText('120 households').waitFor()
  await look(page, 'connect')
  await page.getByRole('link', { name: 'See all 120 households' }).click()
  await page.getByText('1 to 100 of 120').waitFor()
  await look(page, 'households')
  await page.getByRole('link', { name: 'Next page' }).click()
  await page.getByText('101 to 120 of 120').waitFor()
  await page.getByRole('link', { name: 'Back to the question' }).click()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.waitForURL(/\/arrived\?code=/)

  await query(
    server.database,
    `UPDATE grants SET expires_at = now() + interval '3 days' WHERE user_id = $1 AND revoked_at IS NULL`,
    [userId],
  )
  await query(
    server.database,
    `INSERT INTO grant_reads (grant_id, day, requests, households, accounts)
     SELECT id, (now() AT TIME ZONE 'UTC')::date - ago, 1, 100, 10 * ago FROM grants, unnest('{0,3,9,29}'::int[]) AS ago WHERE user_id = $1`,
    [userId],
  )
  await page.goto(`${server.authUrl}/connections`)
  await page.getByText('Show as a table').click()
  expect(await page.locator('.chart tbody tr').count()).toBe(4)
  await look(page, 'apps')
  await page.getByRole('button', { name: 'Renew for 90 days Sample Partner App' }).click()
  await page.getByText('Show as a table').waitFor()
  expect(await page.getByRole('button', { name: /^Renew/ }).count()).toBe(0)
  expect((await grantsOf(server, userId)).map(({ days }) => days)).toEqual([90])
  await page.getByRole('link', { name: 'Disconnect Sample Partner App' }).click()
  await look(page, 'disconnect')
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('No apps are connected.').waitFor()
  await page.getByText('Ended connections').click()
  await page.getByText('by you').waitFor()
  await look(page, 'apps-ended')
  await context.close()
}

test('on a dark phone: what is shared, all households, connect, renew, disconnect; axe finds nothing wrong', async () => {
  await share(phone, 'ada', expectGood)
})

test('the same without scripts, on a desktop', async () => {
  await share(desktop, 'bob', async (page, step) => {
    expect.soft(await overflow(page), step).toBe(0)
  })
})

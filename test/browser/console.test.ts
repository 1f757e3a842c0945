import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pageFaults } from '../support/accessibility.ts'
import { closePages, openBrowser, screenshot } from '../support/browser.ts'
import { addTraffic } from '../support/console-data.ts'
import { urlOf } from '../support/database.ts'
import { totp } from '../support/factors.ts'
import { hostedLatchkey } from '../support/latchkey.ts'
import { operatorPassword } from '../support/operators.ts'
import { type TestServer, testServer } from '../support/server.ts'

const secret = 'a secret for tests, of 32 bytes or more'

let server: TestServer
let browser: Browser
let cookies: NonNullable<Exclude<BrowserContextOptions['storageState'], string>>

beforeAll(async () => {
  server = await testServer({ secret })
  browser = await openBrowser()
})
afterAll(async () => {
  await closePages(browser)
  await server.close()
})

/** Runs a command on the database of the server. */
async function command(...args: string[]): Promise<Record<string, string>> {
  const env = {
    DATABASE_URL: urlOf(server.database),
    LATCHKEY_SECRET: secret,
    LATCHKEY_AUTH_URL: server.authUrl,
  }
  const { code, stdout, stderr } = await hostedLatchkey([...args, '--json'], env)
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

test('the first owner gets a link from the command, sets up the account, and sees the overview', async () => {
  const { setup_url: link = '' } = await command(
    ...['operator', 'create', '--email', 'ada@platform.example', '--name', 'Ada Whitlock', '--role', 'owner'],
  )
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(link)
  expect(page.url()).toBe(`${server.authUrl}/admin/setup`) // without the secret
  await screenshot(page, 'console-setup')
  const key =
    (await page.locator('code').allTextContents()).find((text) => /^([A-Z2-7]{4} )+/.test(text)) ?? ''
  const app = key.replaceAll(' ', '')
  await page.getByLabel('New password').fill(operatorPassword)
  await page.getByLabel('Code of the app').fill(totp(app, new Date()))
  await page.getByRole('button', { name: 'Set up and sign in' }).click()
  await expect.poll(() => page.getByRole('heading', { name: 'recovery codes' }).count()).toBe(1)
  await page.locator('main a.button').click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByText('Nothing needs your attention.').waitFor()

  // In the next session, the password is not enough.
  await page.locator('.shell-who summary').click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Email address').fill('Ada@Platform.example')
  await page.getByLabel('Password').fill(operatorPassword)
  await screenshot(page, 'console-login')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Code of your authenticator app').fill(totp(app, new Date(Date.now() + 30_000)))
  await page.getByRole('button', { name: 'Continue' }).first().click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  cookies = await context.storageState()
  await context.close()
})

describe('the pages', () => {
  const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } }
  // test/long/console-pages.test.ts has both sizes in both colour schemes.
  const looks = [
    ['phone', 'dark'],
    ['desktop', 'light'],
  ] as const

  beforeAll(() => addTraffic(server))

  test.each(looks)('are accessible: %s, %s', async (size, colorScheme) => {
    const context = await browser.newContext({ viewport: sizes[size], colorScheme, storageState: cookies })
    const page = await context.newPage()
    for (const [name, path] of [
      ['overview', '/admin'],
      ['account', '/admin/account'],
    ] as const) {
      await page.goto(server.authUrl + path)
      await screenshot(page, `console-${name}-${size}-${colorScheme}`)
      expect(await faultsOn(page), path).toEqual([])
    }
    await context.close()
  })

  test('the key / opens the search, and a range is in the address', async () => {
    const context = await browser.newContext({ storageState: cookies })
    const page = await context.newPage()
    await page.goto(`${server.authUrl}/admin`)
    await page.keyboard.press('/')
    expect(await page.evaluate<boolean>(`document.activeElement.name === 'q'`)).toBe(true)
    await page.getByRole('link', { name: '7 days' }).click()
    expect(page.url()).toBe(`${server.authUrl}/admin?range=7d`)
    await context.close()
  })
})

/** Also with the table of figures open. */
async function faultsOn(page: Page): Promise<string[]> {
  const faults = await pageFaults(page)
  const figures = page.locator('.figures summary')
  if ((await figures.count()) === 0) return faults
  await figures.click()
  return [...faults, ...(await pageFaults(page))]
}

import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { looks, narrow, overflow, pageFaults } from '../support/accessibility.ts'
import { screenshot } from '../support/browser.ts'
import { newPassword } from '../support/change-password.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { emailOf, password, seed } from '../support/directory.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { loggedIn } from '../support/pages.ts'

const addresses = ['connections', 'connections/reads?grant=1', 'sessions', 'password', 'password/changed']

let context: BrowserContext | undefined

const server = await serverFixture({ host: 'localhost' })
await seed(server.database, {
  users: ['ada', 'bob', 'cleo'],
  households: ['h1'],
})
const names = ['Ledger Accounting', 'Planner', 'Steuerberichterstattungsanwendung', 'דוחות']
for (const [index, name] of names.entries()) {
  const site = index === 1 ? 'a-long-name-of-a-host.planner-for-advisors.example' : 'partner.example'
  const partner = await server.partner({ name, redirectUri: `https://${site}/callback` })
  const { accessToken } = await tokensFor(server, partner, 'ada')
  await tokensFor(server, partner, 'bob')
  await api(server, 'households', accessToken)
}
await server.context.usage.write()
await server.context.readLog.write()
await query(server.database, 'UPDATE grant_reads SET requests = 1234567, households = 1234567890')
await query(
  server.database,
  `INSERT INTO grants (user_id, client_id, subject, revoked_at, revoked_by)
   SELECT user_id, client_id, subject, now(), by FROM grants, unnest('{user,operator}'::text[]) AS by WHERE user_id = 'ada'`,
)
const browser = await browserFixture()
afterEach(async () => {
  await context?.close()
  context = undefined
})

/** A browser in which this user has logged in through the page. */
async function logInWith(
  options: BrowserContextOptions,
  userId: string,
  first = 'connections',
): Promise<Page> {
  context = await browser.newContext(options)
  const page = await context.newPage()
  await page.goto(`${server.authUrl}/${first}`)
  await page.locator('input[name=email]').fill(emailOf(userId))
  await page.locator('input[name=password]').fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${server.authUrl}/${first}`)
  return page
}

/** Opens the confirmation page for the application with the longest word in its name. */
async function openDisconnect(page: Page): Promise<void> {
  await page.goto(`${server.authUrl}/connections`)
  await page.locator('article', { hasText: 'Steuerberichterstattungsanwendung' }).locator('a.danger').click()
  await page.waitForURL(/\/connections\/disconnect\?grant=/)
}

async function expectGood(page: Page): Promise<void> {
  expect(await pageFaults(page)).toEqual([])
}

describe('connected apps, sessions and password: no accessibility faults, nothing wider than the window', () => {
  test.each(Object.entries(looks))('%s', async (name, look) => {
    const page = await logInWith(look, 'ada')
    for (const address of addresses) {
      await page.goto(`${server.authUrl}/${address}`)
      await expectGood(page)
      await screenshot(page, `apps ${name} ${address.replace('/', '-')}`)
    }
    await openDisconnect(page)
    await expectGood(page)
    await screenshot(page, `apps ${name} disconnect`)
    await page.goto(`${server.authUrl}/password`)
    await page.locator('input[name=current_password]').fill('not this one')
    await page.locator('input[name=new_password]').fill('owls eat plums?')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await expectGood(page)
    await query(server.database, 'DELETE FROM login_failures')
  })

  test.each(['de', 'fr'] as const)('on a small phone in %s', async (locale) => {
    const page = await logInWith({ ...narrow, locale }, 'ada')
    for (const address of addresses) {
      await page.goto(`${server.authUrl}/${address}`)
      expect(await page.getAttribute('html', 'lang')).toBe(locale)
      expect(await overflow(page)).toBe(0)
      await screenshot(page, `apps ${locale} ${address.replace('/', '-')}`)
    }
    await openDisconnect(page)
    expect(await overflow(page)).toBe(0)
    await screenshot(page, `apps ${locale} disconnect`)
  })
})

describe('times', () => {
  const shownTimes = (page: Page) =>
    page.evaluate<{ text: string; title: string }[]>(
      `[...document.querySelectorAll('time')].map(({ textContent, title }) => ({ text: textContent, title }))`,
    )
  const at = async (usedAgo: string) =>
    query(
      server.database,
      `UPDATE grants SET created_at = '2026-01-31T23:30:00Z', last_used_at = now() - $1::interval WHERE user_id = 'bob'`,
      [usedAgo],
    )

  test('are in the reader’s time zone, exact on hover, and relative for the last use', async () => {
    const page = await logInWith({ timezoneId: 'Asia/Kolkata', locale: 'en' }, 'bob')
    for (const [usedAgo, shown] of [
      ['5 seconds', 'now'],
      ['1 minute 5 seconds', '1 minute ago'],
      ['2 hours 5 minutes', '2 hours ago'],
      ['29 days 1 hour', '29 days ago'],
      ['-5 minutes -30 seconds', 'in 5 minutes'],
    ] as const) {
      await at(usedAgo)
      await page.goto(`${server.authUrl}/connections`)
      const [connected, used] = await shownTimes(page)
      expect(connected).toEqual({
        text: 'Feb 1, 2026, 05:00',
        title: 'Sunday, February 1, 2026 at 05:00:00 GMT+5:30',
      })
      expect(used?.text).toBe(shown)
      expect(used?.title).toMatch(/GMT\+5:30$/)
    }
  })

  test('are in UTC and labelled as such when scripts are off', async () => {
    await at('40 days')
    const page = await logInWith(
      { javaScriptEnabled: false, timezoneId: 'Asia/Kolkata', locale: 'en' },
      'bob',
    )
    const times = await page.locator('time').allTextContents()
    expect(times[0]).toBe('Jan 31, 2026, 23:30 UTC')
    expect(times.every((text) => text.endsWith(' UTC'))).toBe(true)
  })
})

describe('with the keyboard only', () => {
  const pressUntil = async (page: Page, name: string) => {
    for (let n = 0; n < 40; n++) {
      await page.keyboard.press('Tab')
      if ((await focusedName(page)) === name) return
    }
    throw new Error(`${name} is not reached by Tab`)
  }
  /** The name that a screen reader announces for the focused element. */
  const focusedName = (page: Page) =>
    page.evaluate<string>(`(() => {
      const { activeElement: focused } = document
      const ids = focused.getAttribute('aria-labelledby')?.split(' ')
      return ids ? ids.map((id) => document.getElementById(id).textContent).join(' ') : focused.textContent
    })()`)

  test('an application can be disconnected, and the history then shows it', async () => {
    const page = await logInWith({}, 'bob')
    await pressUntil(page, 'Disconnect Planner')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Disconnect Planner?' }).waitFor()
    await pressUntil(page, 'Cancel')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Connected apps' }).waitFor()
    await pressUntil(page, 'Disconnect Planner')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Disconnect Planner?' }).waitFor()
    await pressUntil(page, 'Disconnect')
    await page.keyboard.press('Enter')
    await page.getByText('Ended connections').waitFor()
    await pressUntil(page, 'Ended connections')
    await page.keyboard.press('Enter')
    await page.getByRole('table').getByText('Planner').waitFor()
    expect(await page.getByRole('link', { name: 'Disconnect Planner' }).count()).toBe(0)
    expect(await page.getByRole('table').getByText('by you').count()).toBe(1)
  })

  test('another session can be ended, and then all others', async () => {
    await loggedIn(server, 'bob')
    await loggedIn(server, 'bob')
    await loggedIn(server, 'bob')
    const page = await logInWith({}, 'bob', 'sessions')
    const cards = page.getByRole('article')
    const before = await cards.count()
    await pressUntil(page, 'End session Unknown browser')
    await page.keyboard.press('Enter')
    await expect.poll(() => cards.count()).toBe(before - 1)
    await pressUntil(page, 'End all other sessions')
    await page.keyboard.press('Enter')
    await expect.poll(() => cards.count()).toBe(1)
    expect(await cards.textContent()).toContain('This browser')
  })

  test('the password can be changed, and the navigation still works', async () => {
    const page = await logInWith({}, 'cleo')
    await pressUntil(page, 'Password')
    await page.keyboard.press('Enter')
    await page.getByLabel('Current password').fill(password)
    await page.keyboard.press('Tab')
    await page.keyboard.type(newPassword)
    await page.keyboard.press('Enter')
    await page.getByRole('status').waitFor()
    await pressUntil(page, 'Connected apps')
    await page.keyboard.press('Enter')
    await page.getByText('No apps are connected.').waitFor()
    await pressUntil(page, 'Sign out')
    await page.keyboard.press('Enter')
    await page.getByLabel('Email address').waitFor()
  })
})

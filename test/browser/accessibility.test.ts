import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { writeHeartbeat } from '../../src/status/heartbeat.sql.ts'
import { chooseTexts } from '../../src/web/languages/languages.ts'
import { accessibilityFaults, looks, narrow, overflow, pageFaults } from '../support/accessibility.ts'
import { sampleBrand } from '../support/brand.ts'
import { screenshot } from '../support/browser.ts'
import { query } from '../support/database.ts'
import { emailOf, password } from '../support/directory.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'
import { authorizeUrl } from '../support/journey.ts'
import type { TestPartner } from '../support/server.ts'

const server = await serverFixture({ users: ['ada'] })
const partner = await server.partner({ redirectUri: `${server.authUrl}/arrived` })
const browser = await browserFixture()
const branded = await serverFixture({ brand: sampleBrand() })

/** Ten months with a short outage in each, and calls of the last three. */
async function addHistory(database: Database): Promise<void> {
  await query(
    database,
    `INSERT INTO uptimes SELECT now() - interval '310 days' + n * interval '31 days',
            now() - interval '279 days' + n * interval '31 days' - n * n * interval '97 seconds' FROM generate_series(0, 9) n
     ON CONFLICT DO NOTHING`,
  )
  await database.run(writeHeartbeat, [])
  await query(
    database,
    `INSERT INTO call_days SELECT now()::date - n, kind, 1000, n % 3, '{0, 100, 300, 400, 150, 40, 9, 1, 0, 0, 0, 0, 0}'
       FROM generate_series(0, 90) n, (VALUES ('read'), ('token')) AS kinds (kind) ON CONFLICT DO NOTHING`,
  )
}

/** Visits login, failed login, connect, error pages and logout, and calls `look` on each. */
async function visit(
  options: BrowserContextOptions,
  request: { partner: TestPartner; language: string },
  look: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ ...options, locale: request.language })
  const page = await context.newPage()
  const submit = async (secret: string) => {
    await page.locator('[name=email]').fill(emailOf('ada'))
    await page.locator('[name=password]').fill(secret)
    await page.locator('[name=password]').press('Enter')
  }
  try {
    await page.goto(server.authUrl)
    await page.locator('footer summary').click()
    await look(page, 'front, with the menu of languages open')
    await page.goto(authorizeUrl(server, request.partner, { response_type: 'code' }))
    await look(page, 'login')
    await submit('not the password')
    await page.locator('#fault').waitFor()
    await look(page, 'login-refused')
    await submit(password)
    await page.locator('[value=connect]').waitFor()
    await look(page, 'connect')
    for (const [name, path] of [
      ['front-greeting', '/'],
      ['connect-invalid', '/connect?request=x'],
      ['untrusted-request', '/api/oauth2/authorize?client_id=nobody&redirect_uri=x'],
      [
        'unregistered-redirect-uri',
        `/api/oauth2/authorize?client_id=${request.partner.clientId}&redirect_uri=https://${'x'.repeat(400)}`,
      ],
      ['malformed-request', '/login?request=%zz'],
      ['no-such-page', '/no-such-page'],
    ] as const) {
      await page.goto(`${server.authUrl}${path}`)
      await look(page, name)
    }
    const { account, logout } = chooseTexts(request.language, undefined)
    await page.goto(`${server.authUrl}/api/oauth2/logout?client_id=${request.partner.clientId}`)
    await page.getByRole('heading', { name: logout.heading }).waitFor()
    await look(page, 'logout')
    await page.getByRole('main').getByRole('button', { name: account.logOut }).click()
    await page.getByRole('heading', { name: logout.done.heading }).waitFor()
    await look(page, 'logged-out')
  } finally {
    await context.close()
  }
}

test.each([
  ['phone, light', 'de'],
  ['desktop, dark', 'es'],
] as const)(
  '%s, %s: axe finds nothing wrong, focus rings and targets are large enough',
  async (name, language) => {
    await visit(looks[name], { partner, language }, async (page, step) => {
      await screenshot(page, `${step} (${name}, ${language})`)
      expect.soft(await pageFaults(page), step).toEqual([])
    })
  },
)

// The languages with the longest words. test/long/platform-pages.test.ts shows all four at 390 pixels.
test.each(['de', 'fr'] as const)(
  'in %s: at 320 pixels even long names need no sideways scrolling',
  async (language) => {
    const long = await server.partner({
      name: `${'Vermögensverwaltungs'.repeat(3)} ${'W'.repeat(35)}`,
      redirectUri: `https://${'very-long-label-'.repeat(3)}x.${'another-long-label-'.repeat(3)}x.example/callback`,
    })
    await visit(narrow, { partner: long, language }, async (page, step) => {
      await screenshot(page, `${step} (320 pixels, ${language})`)
      expect(await page.locator('html').getAttribute('lang')).toBe(language)
      expect.soft(await overflow(page), step).toBe(0)
    })
  },
)

describe('with the keyboard only', () => {
  const focused = (page: Page) =>
    page.evaluate<string>(
      `(({ name, value, type, role, textContent }) =>
        type === 'email' || type === 'password' ? name : role ?? (value || textContent).trim())(document.activeElement)`,
    )

  /** The elements that the Tab key reaches, in order. */
  async function expectStops(page: Page, stops: string[]): Promise<void> {
    for (const stop of stops) {
      await page.keyboard.press('Tab')
      expect(await focused(page)).toBe(stop)
    }
  }

  test('login and connect', async () => {
    const { login, connect } = chooseTexts('en', undefined)
    const page = await browser.newPage({ locale: 'en' })
    await page.goto(authorizeUrl(server, partner, { response_type: 'code', state: 's' }))
    await expectStops(page, ['Latchkey', 'email'])
    await page.keyboard.type(emailOf('ada'))
    await expectStops(page, ['password'])
    await page.keyboard.type('not the password')
    await page.keyboard.press('Enter')
    // The error message has the focus, so that screen readers announce it. The fields refer to it.
    await page.getByRole('alert').waitFor()
    expect(await focused(page)).toBe('alert')
    for (const name of ['email', 'password']) {
      const field = page.locator(`[name=${name}]`)
      expect(await field.getAttribute('aria-invalid')).toBe('true')
      const described = await field.getAttribute('aria-describedby')
      expect(await page.locator(`#${described}`).textContent()).toBe(login.wrongCredentials)
    }
    await expectStops(page, ['email', 'password'])
    await page.keyboard.type(password)
    await expectStops(page, [login.submit])
    await page.keyboard.press('Enter')
    await page.locator('[value=connect]').waitFor()
    const language = 'Language: English'
    await expectStops(page, [
      'Latchkey',
      connect.switchUser,
      'your connected apps',
      'cancel',
      'connect',
      'Status',
      language,
    ])
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Shift+Tab')
    expect(await focused(page)).toBe('connect')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/arrived\?code=/)
    await page.close()
  })
})

describe('with colours that the user has chosen (forced colours)', () => {
  test('everything that takes input keeps its border, and the focus its ring', async () => {
    const page = await browser.newPage({ forcedColors: 'active', colorScheme: 'dark' })
    await page.goto(`${server.authUrl}/login`)
    await page.locator('footer summary').click()
    const borders = await page.evaluate<string[]>(
      `[...document.querySelectorAll('input:not([type=hidden]), main button, .language form')].map((element) => {
        const { borderTopStyle, borderTopWidth, borderTopColor, backgroundColor } = getComputedStyle(element)
        return [borderTopStyle, borderTopWidth, borderTopColor !== backgroundColor].join(' ')
      })`,
    )
    expect(borders.length).toBeGreaterThan(3)
    expect(new Set(borders)).toEqual(new Set(['solid 1px true']))
    await page.locator('[name=email]').focus()
    const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle')
    expect(outline).toBe('solid')
    await page.close()
  })
})

test.each([
  ['phone', { viewport: { width: 390, height: 844 }, colorScheme: 'dark', locale: 'de' }],
  ['desktop', { viewport: { width: 1280, height: 800 }, colorScheme: 'light', locale: 'en' }],
] as const)('the status page: %s', async (name, options) => {
  await addHistory(branded.database)
  const page = await browser.newPage(options)
  await page.goto(`${branded.authUrl}/status`)
  await screenshot(page, `status-${name}`)
  expect(await page.locator('.months rect.outage').count()).toBeGreaterThan(3)
  expect
    .soft([...(await pageFaults(page)), ...(await accessibilityFaults(page, { contrast: 'AAA' }))])
    .toEqual([])
  await page.close()
})

test.each(['light', 'dark'] as const)('with the platform’s brand, %s', async (colorScheme) => {
  const page = await browser.newPage({ colorScheme })
  for (const path of ['/', '/login']) {
    await page.goto(branded.authUrl + path)
    expect.soft(await pageFaults(page), path).toEqual([])
    const width = await page.evaluate<number>(`document.querySelector('.brand img').naturalWidth`)
    expect(width, 'the logo is shown').toBe(96)
  }
  await page.close()
})

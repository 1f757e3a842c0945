import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { chooseTexts, languages } from '../../src/web/languages/languages.ts'
import { accessibilityFaults, looks, overflow } from '../support/accessibility.ts'
import { screenshot } from '../support/browser.ts'
import { emailOf, password } from '../support/directory.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'
import { authorizeUrl } from '../support/journey.ts'
import type { TestPartner } from '../support/server.ts'

const server = await serverFixture({ users: ['ada'] })
const partner = await server.partner({ redirectUri: `${server.authUrl}/arrived` })
const browser = await browserFixture()

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
    await page.goto(authorizeUrl(server, request.partner, { response_type: 'code' }))
    await look(page, 'login')
    await submit('not the password')
    await page.locator('[role=alert]').waitFor()
    await look(page, 'login-refused')
    await submit(password)
    await page.locator('[value=connect]').waitFor()
    await look(page, 'connect')
    for (const [name, path] of [
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

const everyLanguageOnce = Object.entries(looks).map(([name, options], index) => ({
  name,
  options,
  language: languages[index % languages.length] ?? 'en',
}))

test.each(everyLanguageOnce)(
  '$name, $language: axe finds nothing wrong',
  async ({ name, options, language }) => {
    await visit(options, { partner, language }, async (page, step) => {
      await screenshot(page, `${step} (${name}, ${language})`)
      expect(await page.locator('html').getAttribute('lang')).toBe(language)
      expect.soft(await accessibilityFaults(page), step).toEqual([])
      expect.soft(await overflow(page), step).toBe(0)
    })
  },
)

test.each(languages)('in %s: at 320 pixels even long names need no sideways scrolling', async (language) => {
  const long = await server.partner({
    name: `${'Vermögensverwaltungs'.repeat(3)} ${'W'.repeat(35)}`,
    redirectUri: `https://${'very-long-label-'.repeat(3)}x.${'another-long-label-'.repeat(3)}x.example/callback`,
  })
  const narrow = { viewport: { width: 320, height: 600 } }
  await visit(narrow, { partner: long, language }, async (page, step) => {
    await screenshot(page, `${step} (320 pixels, ${language})`)
    expect.soft(await overflow(page), step).toBe(0)
  })
})

describe('with the keyboard only', () => {
  const focused = (page: Page) =>
    page.evaluate<string>(
      `(({ name, value, type, role, textContent }) =>
        type === 'email' || type === 'password' ? name : role ?? (value || textContent).trim())(document.activeElement)`,
    )

  /** The focus ring of the focused element, with the contrast of its colour to the page background. */
  const ring = (page: Page) =>
    page.evaluate<Ring>(`(() => {
      const rgb = (colour) => {
        const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
        canvas.fillStyle = colour
        canvas.fillRect(0, 0, 1, 1)
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
      }
      const luminance = (colour) => {
        const [r, g, b] = rgb(colour).map((value) => value / 255)
          .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b
      }
      const { outlineStyle, outlineWidth, outlineOffset, outlineColor } = getComputedStyle(document.activeElement)
      const ground = getComputedStyle(document.body).backgroundColor
      const [dark, light] = [luminance(outlineColor), luminance(ground)].sort((a, b) => a - b)
      return { outlineStyle, outlineWidth, outlineOffset, contrast: (light + 0.05) / (dark + 0.05) }
    })()`)
  type Ring = { outlineStyle: string; outlineWidth: string; outlineOffset: string; contrast: number }

  /** The elements that the Tab key reaches, in order. Each must show a visible focus ring. */
  async function expectStops(page: Page, stops: string[]): Promise<void> {
    for (const stop of stops) {
      await page.keyboard.press('Tab')
      expect(await focused(page)).toBe(stop)
      const { contrast, ...shape } = await ring(page)
      expect(shape, stop).toEqual({ outlineStyle: 'solid', outlineWidth: '2px', outlineOffset: '2px' })
      expect(contrast, stop).toBeGreaterThan(3)
    }
  }

  test.each(['light', 'dark'] as const)('login and connect, %s', async (colorScheme) => {
    const { login, connect } = chooseTexts('en', undefined)
    const page = await browser.newPage({ colorScheme, locale: 'en', reducedMotion: 'reduce' })
    await page.goto(authorizeUrl(server, partner, { response_type: 'code', state: 's' }))
    await expectStops(page, ['Latchkey', 'email'])
    await page.keyboard.type(emailOf('ada'))
    await expectStops(page, ['password'])
    await page.keyboard.type('not the password')
    await page.keyboard.press('Enter')
    // The error message has the focus, so that screen readers announce it. The fields refer to it.
    await page.getByRole('alert').waitFor()
    expect(await focused(page)).toBe('alert')
    expect((await ring(page)).outlineStyle).toBe('solid')
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
    const stops = ['Latchkey', connect.switchUser, 'your connected apps', 'cancel', 'connect']
    await expectStops(page, stops)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/arrived\?code=/)
    await page.close()
  })
})

import { expect, test } from 'vitest'
import { accessibilityFaults, overflow } from '../support/accessibility.ts'
import { screenshot } from '../support/browser.ts'
import { platformFixture, travel } from '../support/platform.ts'

// The same in all languages, on a phone and a desktop, light and dark: test/long/platform-pages.test.ts.

const platform = await platformFixture()

test('on a phone, in German: from the partner through the login of the platform to the households', async () => {
  const phone = { viewport: { width: 390, height: 844 }, locale: 'de' }
  const page = await platform.browser.newPage(phone)
  const seen: string[] = []
  await travel(platform, page, async (_, shows) => {
    seen.push(shows)
    await screenshot(page, `platform ${shows} (390, de)`)
    expect.soft(await accessibilityFaults(page), shows).toEqual([])
    expect.soft(await overflow(page), shows).toBe(0)
    expect.soft(await page.locator('html').getAttribute('lang'), shows).toBe('de')
    expect.soft(await page.locator('body').innerText(), shows).not.toMatch(/latchkey/i)
    expect.soft(await page.title(), shows).toMatch(/ · Northbridge$/)
  })
  expect(seen).toEqual(['login', 'connect', 'households'])
  expect(new URL(page.url()).origin).toBe(platform.partnerUrl)
  expect(await page.locator('main a[href="/households/Ashworth-0"]').textContent()).toBe('Ashworth')
  expect(await page.title()).toContain('Households')
})

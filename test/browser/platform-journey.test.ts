import { expect, test } from 'vitest'
import { screenshot } from '../support/browser.ts'
import { checkBrandedPage } from '../support/page-checks.ts'
import { platformFixture, travel } from '../support/platform.ts'

// All pages in all languages, on a phone and a desktop, light and dark: test/long/platform-pages.test.ts.

const platform = await platformFixture()

test('on a phone, in German: from the partner through the login of the platform to the households', async () => {
  const phone = { viewport: { width: 390, height: 844 }, locale: 'de' }
  const page = await platform.browser.newPage(phone)
  const seen: string[] = []
  await travel(platform, page, async (_, shows) => {
    seen.push(shows)
    await screenshot(page, `platform ${shows} (390, de)`)
    await checkBrandedPage(page, shows, 'de')
  })
  expect(seen).toEqual(['login', 'connect', 'households'])
  expect(new URL(page.url()).origin).toBe(platform.partnerUrl)
  expect(await page.locator('main a[href="/households/Ashworth-0"]').textContent()).toBe('Ashworth')
})

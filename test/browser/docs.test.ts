import type { BrowserContextOptions } from 'playwright-core'
import { expect, test } from 'vitest'
import { accessibilityFaults, overflow } from '../support/accessibility.ts'
import { screenshot } from '../support/browser.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'

const server = await serverFixture()
const browser = await browserFixture()
const docs = `${server.baseUrl}docs`

const looks: Record<string, BrowserContextOptions> = {
  '390, light': { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  '390, dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  '1280, light': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  '1280, dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  '1440, light': { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  '1440, dark': { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
}

const pages = {
  index: docs,
  'quick start': `${docs}/quick-start`,
  reference: `${docs}/reference`,
  search: `${docs}/search?q=refresh`,
  'not found': `${docs}/no-such-page`,
}

test.each(Object.keys(looks))(
  '%s: axe finds nothing wrong, text has a contrast of 7:1, nothing scrolls sideways',
  async (look) => {
    const context = await browser.newContext(looks[look])
    const page = await context.newPage()
    for (const [name, address] of Object.entries(pages)) {
      await page.goto(address)
      await screenshot(page, `docs ${name} (${look})`)
      expect.soft(await accessibilityFaults(page, { contrast: 'AAA' }), name).toEqual([])
      expect.soft(await overflow(page), name).toBe(0)
    }
    await context.close()
  },
)

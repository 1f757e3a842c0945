import type { Browser, BrowserContextOptions } from 'playwright-core'
import { expect } from 'vitest'
import { accessibilityFaults, overflow } from './accessibility.ts'
import { screenshot } from './browser.ts'

/** The widths at which the layout of the docs changes, in light and dark mode. */
const docsLooks = {
  '390, light': { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  '390, dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  '1280, light': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  '1280, dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  '1440, light': { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  '1440, dark': { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
} as const satisfies Record<string, BrowserContextOptions>

/** Opens each address: axe finds nothing wrong, text has a contrast of 7:1, nothing is wider than the window. */
export async function expectGoodLook(
  browser: Browser,
  look: keyof typeof docsLooks,
  addresses: Record<string, string>,
): Promise<void> {
  const page = await browser.newPage(docsLooks[look])
  for (const [name, address] of Object.entries(addresses)) {
    await page.goto(address)
    await screenshot(page, `docs ${name} (${look})`)
    expect.soft(await accessibilityFaults(page, { contrast: 'AAA' }), name).toEqual([])
    expect.soft(await overflow(page), name).toBe(0)
  }
  await page.close()
}

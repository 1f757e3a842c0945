import axe, { type AxeResults } from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'

/** A phone and a desktop, in light and dark mode. */
export const looks: Record<string, BrowserContextOptions> = {
  'phone, light': { viewport: { width: 360, height: 740 }, colorScheme: 'light' },
  'phone, dark': { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
  'desktop, light': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  'desktop, dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
}

/** WCAG 2.2 to level AA, which European law requires (EN 301 549), and axe's own best practices. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice']

/**
 * The faults that axe finds on the page in its current state, one line each. The Content Security Policy allows no
 * inline script, so axe is injected through the debugger protocol. The page is tested exactly as the server sent it.
 * `AAA` requires a contrast of 7:1 for text.
 */
export async function accessibilityFaults(
  page: Page,
  { contrast = 'AA' }: { contrast?: 'AA' | 'AAA' } = {},
): Promise<string[]> {
  await page.evaluate(axe.source)
  const rules = contrast === 'AAA' ? { 'color-contrast-enhanced': { enabled: true } } : {}
  const runOnly = { type: 'tag', values: tags }
  const options = JSON.stringify({ runOnly, rules, reporter: 'no-passes', resultTypes: ['violations'] })
  const violations = await page.evaluate<AxeResults['violations']>(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`),
  )
}

/** Pixels by which the page is wider than its window. More than 0 means that the user must scroll sideways to read it. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

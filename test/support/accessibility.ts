import axe, { type AxeResults } from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'

/** A phone and a desk, by day and by night. */
export const looks: Record<string, BrowserContextOptions> = {
  'phone, light': { viewport: { width: 360, height: 740 }, colorScheme: 'light' },
  'phone, dark': { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
  'desktop, light': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  'desktop, dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
}

/** WCAG 2.2 to level AA, which is what European law asks for (EN 301 549), and axe's own best practices. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice']

/**
 * What axe finds wrong with the page as it stands, one line for each fault. The pages' policy allows no script; the
 * debugger's door, which is not the page's, lets axe in, so that what is judged is the page as it is served.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const options = JSON.stringify({ runOnly: { type: 'tag', values: tags } })
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`),
  )
}

/** Pixels by which the page is wider than its window: whatever is more than 0 has to be scrolled sideways to be read. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

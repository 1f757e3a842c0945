import axe, { type AxeResults } from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'

/** Both sizes and both colour schemes. test/long/platform-pages.test.ts has each size in each scheme and language. */
export const looks = {
  'phone, light': { viewport: { width: 360, height: 740 }, colorScheme: 'light' },
  'desktop, dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
} as const satisfies Record<string, BrowserContextOptions>

/** The window of a small phone, in which even long names need no sideways scrolling. */
export const narrow = { viewport: { width: 320, height: 640 } }

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

/** All that is wrong with the page as it is: axe's faults, focus rings, small targets, and scrolling sideways. */
export async function pageFaults(page: Page): Promise<string[]> {
  const wider = await overflow(page)
  return [
    ...(await accessibilityFaults(page)),
    ...(await ringFaults(page)),
    ...(await targetFaults(page)),
    ...(wider > 0 ? [`${wider} pixels wider than the window`] : []),
  ]
}

/**
 * Gives the focus to each element that can have it. The ring must be 2 pixels wide, 2 pixels away, and its colour must contrast
 * with 3:1 with the ground around the element.
 */
async function ringFaults(page: Page): Promise<string[]> {
  await page.keyboard.press('Tab') // from now on, the browser shows the focus
  return page.evaluate<string[]>(`(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
    const rgba = (colour) => {
      canvas.clearRect(0, 0, 1, 1)
      canvas.fillStyle = colour
      canvas.fillRect(0, 0, 1, 1)
      return [...canvas.getImageData(0, 0, 1, 1).data]
    }
    const luminance = ([r, g, b]) => {
      const [red, green, blue] = [r, g, b].map((value) => value / 255)
        .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const groundOf = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = rgba(getComputedStyle(at).backgroundColor)
        if (colour[3] === 255) return colour
      }
      return [255, 255, 255, 255]
    }
    const before = document.activeElement
    const faults = []
    for (const element of document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')) {
      if (!element.checkVisibility() || element.type === 'hidden') continue
      element.focus()
      const { outlineStyle, outlineWidth, outlineOffset, outlineColor } = getComputedStyle(element)
      const [dark, light] = [rgba(outlineColor), groundOf(element.parentElement)].map(luminance).sort((a, b) => a - b)
      const contrast = (light + 0.05) / (dark + 0.05)
      const shape = [outlineStyle, outlineWidth, outlineOffset].join(' ')
      if (shape !== 'solid 2px 2px' || contrast < 3) {
        faults.push('focus ring ' + shape + ', ' + contrast.toFixed(1) + ':1: ' + element.outerHTML.slice(0, 100))
      }
    }
    before?.focus()
    return faults
  })()`)
}

/** Targets under 24 pixels (WCAG 2.2, 2.5.8). Links in a sentence may be smaller. */
function targetFaults(page: Page): Promise<string[]> {
  const targets =
    'button, summary, input:not([type=hidden]), select, textarea, a.button, nav a, header a, footer a'
  return page.evaluate<
    string[]
  >(`[...document.querySelectorAll(${JSON.stringify(targets)})].flatMap((element) => {
    const { width, height } = element.getBoundingClientRect()
    if (!element.checkVisibility() || Math.min(width, height) >= 24) return []
    return ['target of ' + width + ' x ' + height + ' pixels: ' + element.outerHTML.slice(0, 100)]
  })`)
}

/** Pixels by which the page is wider than its window. More than 0 means that the user must scroll sideways to read it. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

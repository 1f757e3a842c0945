import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

/** `SCREENSHOTS=docs npm run test:long -- test/long/console-pages.test.ts` writes the pictures of docs/console-pages.md. */
export const writesDocs = process.env.SCREENSHOTS === 'docs'
const pictures = fileURLToPath(new URL('../../docs/screenshots', import.meta.url))

/** Pixels of a picture. Longer pages are cut off. */
const maxHeight = 1400

/** Writes a picture of the page for the documentation. */
export async function writePicture(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { cssContentSize: size } = await session.send('Page.getLayoutMetrics')
  const { data } = await session.send('Page.captureScreenshot', {
    ...{ format: 'webp', quality: 80, captureBeyondViewport: true },
    clip: { ...size, height: Math.min(size.height, maxHeight), scale: 1 },
  })
  mkdirSync(pictures, { recursive: true })
  writeFileSync(join(pictures, `${name.replaceAll(' ', '-')}.webp`), Buffer.from(data, 'base64'))
}

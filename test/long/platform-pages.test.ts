import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { languages } from '../../src/web/languages/languages.ts'
import { screenshot } from '../support/browser.ts'
import { query } from '../support/database.ts'
import { addTotp } from '../support/factors.ts'
import { checkBrandedPage } from '../support/page-checks.ts'
import { loggedIn } from '../support/pages.ts'
import { failAtProvider, platformFixture, travel, visitAccount, visitOthers } from '../support/platform.ts'
import { visitFactors, visitPasswords } from '../support/platform-factors.ts'

/** `SCREENSHOTS=docs npm run test:long -- test/long/platform-pages.test.ts` writes the pictures of docs/screenshots.md. */
const writesDocs = process.env.SCREENSHOTS === 'docs'
const pictures = fileURLToPath(new URL('../../docs/screenshots', import.meta.url))

/** Pixels of a picture. Longer pages are cut off. */
const maxHeight = 1400

/** The pictures in the docs, for each look. */
const inDocs = new Set([
  ...['login', 'connect', 'connected apps', 'front', 'welcome', 'security'].map(
    (shows) => `${shows} en 1280 light`,
  ),
  ...['connect', 'connected apps'].map((shows) => `${shows} en 1280 dark`),
  ...['login', 'connect', 'households', 'connected apps', 'disconnect'].map(
    (shows) => `${shows} en 390 light`,
  ),
  ...[
    'second factor',
    'set up a factor',
    'recovery codes',
    'forgotten password',
    'provider down',
    'no account here',
  ].map((shows) => `${shows} en 390 light`),
  ...['de', 'fr', 'es'].map((language) => `connect ${language} 390 light`),
])

const looks = languages.flatMap((language) =>
  [1280, 390].flatMap((width) => (['light', 'dark'] as const).map((scheme) => ({ language, width, scheme }))),
)

const platform = await platformFixture()
await addTotp(platform.server, await loggedIn(platform.server, 'bob'))

test.each(looks)('$language, $width pixels, $scheme: every page of a branded platform', async (look) => {
  const { language, width, scheme } = look
  const phone = width < 600
  const options: BrowserContextOptions = {
    ...{ viewport: { width, height: phone ? 844 : 800 }, colorScheme: scheme, locale: language },
    deviceScaleFactor: writesDocs && phone ? 1.5 : 1,
  }
  const seen: string[] = []
  await query(platform.server.database, 'TRUNCATE grants CASCADE')
  const visit = async (tour: typeof travel) => {
    const context = await platform.browser.newContext(options)
    const page = await context.newPage()
    await tour(platform, page, async (_, shows) => {
      const name = `${shows} ${language} ${width} ${scheme}`
      seen.push(shows)
      await screenshot(page, `platform ${name}`)
      await checkBrandedPage(page, name, language)
      if (writesDocs && inDocs.has(name)) await writePicture(page, name)
    })
    await context.close()
  }
  await visit(async (...args) => {
    await travel(...args)
    await visitAccount(...args)
  })
  await visit(visitOthers)
  await visit(failAtProvider)
  await visit(visitFactors)
  await visit(visitPasswords)
  expect(seen).toHaveLength(32)
})

/** Addresses of this machine are shown as that of a partner. */
async function writePicture(page: Page, name: string): Promise<void> {
  await page.evaluate(`
    for (const strong of document.querySelectorAll('strong'))
      if (/^localhost:\\d+$/.test(strong.textContent)) strong.textContent = 'app.ledgerline.example'`)
  const session = await page.context().newCDPSession(page)
  const { cssContentSize: size } = await session.send('Page.getLayoutMetrics')
  const { data } = await session.send('Page.captureScreenshot', {
    ...{ format: 'webp', quality: 80, captureBeyondViewport: true },
    clip: { ...size, height: Math.min(size.height, maxHeight), scale: 1 },
  })
  mkdirSync(pictures, { recursive: true })
  writeFileSync(join(pictures, `${name.replaceAll(' ', '-')}.webp`), Buffer.from(data, 'base64'))
}

import { expect, test } from 'vitest'
import { pageFaults } from '../support/accessibility.ts'
import { screenshot, signedInContext } from '../support/browser.ts'
import { addTraffic, consoleData, consoleDirectory, consolePages } from '../support/console-data.ts'
import { writePicture, writesDocs } from '../support/docs-pictures.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'
import { newOperator } from '../support/operators.ts'

const inDocs = new Set([
  ...[
    'overview',
    'partners',
    'partner',
    'partner delete',
    'user',
    'user access',
    'incidents',
    'request',
    'reads',
  ].map((name) => `${name} 1280 light`),
  ...['overview', 'audit record', 'settings', 'search'].map((name) => `${name} 1280 dark`),
  ...['overview 390 light', 'overview 390 dark', 'partner 390 light', 'audit 390 dark'],
])

const looks = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
)

const server = await serverFixture({ ...consoleDirectory(), host: 'localhost' })
const operator = await newOperator(server, { name: 'Olive Owner' })
const data = await consoleData(server, operator)
await addTraffic(server)
const browser = await browserFixture()

test.each(looks)('every page of the console, $width pixels, $scheme', async ({ width, scheme }) => {
  const phone = width < 600
  const context = await signedInContext(server, browser, operator.browser, {
    ...{ viewport: { width, height: phone ? 844 : 800 }, colorScheme: scheme },
    deviceScaleFactor: writesDocs && phone ? 1.5 : 1,
  })
  const page = await context.newPage()
  for (const [name, path] of Object.entries(consolePages(data))) {
    const answer = await page.goto(server.authUrl + path)
    expect.soft(answer?.status(), name).toBe(200)
    const shown = `${name} ${width} ${scheme}`
    await screenshot(page, `console ${shown}`)
    if (writesDocs && inDocs.has(shown)) await writePicture(page, `console ${shown}`)
    expect.soft(await pageFaults(page), shown).toEqual([])
  }
  await context.close()
})

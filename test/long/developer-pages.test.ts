import { expect, test } from 'vitest'
import { pageFaults } from '../support/accessibility.ts'
import { screenshot, signedInContext } from '../support/browser.ts'
import { developerData, developerPages } from '../support/developer-data.ts'
import { developerOfApp } from '../support/developers.ts'
import { writePicture, writesDocs } from '../support/docs-pictures.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'

const inDocs = new Set([
  ...['overview', 'credentials', 'request', 'webhook', 'message', 'people'].map(
    (name) => `${name} 1280 light`,
  ),
  ...['overview', 'grants', 'deprecated'].map((name) => `${name} 1280 dark`),
  ...['overview 390 light', 'request 390 dark'],
])

const looks = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
)

const v1 = { deprecatedOn: new Date('2026-06-01'), sunsetOn: new Date('2027-06-01') }
const from = { name: '', address: 'mail@latchkey.example' }
const server = await serverFixture({
  users: ['ada', 'bob', 'cleo'],
  households: ['h1', 'h2'],
  host: 'localhost',
  mail: { host: '127.0.0.1', port: 1, secure: false, isLoopback: true, from },
  v1,
})
const data = await developerData(server)
const developer = await developerOfApp(server, data.partner.clientId)
const browser = await browserFixture()

test.each(looks)('every page of an application, $width pixels, $scheme', async ({ width, scheme }) => {
  const phone = width < 600
  const context = await signedInContext(server, browser, developer.browser, {
    ...{ viewport: { width, height: phone ? 844 : 800 }, colorScheme: scheme },
    deviceScaleFactor: writesDocs && phone ? 1.5 : 1,
  })
  const page = await context.newPage()
  for (const [name, path] of Object.entries(developerPages(data))) {
    const answer = await page.goto(`${server.authUrl}/developers/apps/${data.partner.clientId}${path}`)
    expect.soft(answer?.status(), name).toBe(200)
    const shown = `${name} ${width} ${scheme}`
    await screenshot(page, `developers ${shown}`)
    if (writesDocs && inDocs.has(shown)) await writePicture(page, `developers ${shown}`)
    expect.soft(await pageFaults(page), shown).toEqual([])
  }
  await context.close()
})

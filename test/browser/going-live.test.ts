import { expect, test } from 'vitest'
import { signedInContext } from '../support/browser.ts'
import { tokensFor } from '../support/connection.ts'
import { latestRecord } from '../support/console.ts'
import { developerOfApp, setUpDeveloper } from '../support/developers.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'
import { readyApplication, sandboxFixture, sandboxKey, sandboxSecret } from '../support/going-live.ts'
import { newOperator } from '../support/operators.ts'
import { png, pngChunk } from '../support/pictures.ts'
import { Visitor } from '../support/visitor.ts'

// Two deployments. Browsers keep cookies by host, without the port: therefore they have two hosts.
const production = await serverFixture({
  environment: 'production',
  host: 'localhost',
  secret: 'the secret of production, 32 bytes or more',
  goingLive: { sandboxKeys: [sandboxKey(sandboxSecret)] },
  users: ['ada'],
})
const sandbox = await sandboxFixture({ goingLive: { productionUrl: production.authUrl } })
const browser = await browserFixture()

// With it, the request is larger than other forms may be.
const largeLogo = png(64, 64, undefined, [pngChunk('tEXt', Buffer.alloc(60_000, 'x'))])

test('a developer goes live: the sandbox signs, the operator opens, and the developer makes the secret', async () => {
  const partner = await readyApplication(sandbox, {
    name: 'Ledgerline',
    site: 'https://ledgerline.example',
    logo: largeLogo,
  })
  const developer = await developerOfApp(sandbox, partner.clientId, {
    email: 'dora@ledgerline.example',
    name: 'Dora',
  })

  const inSandbox = await signedInContext(sandbox, browser, developer.browser, { acceptDownloads: true })
  const page = await inSandbox.newPage()
  await page.goto(`${sandbox.authUrl}/developers/apps/${partner.clientId}`)
  await page.getByRole('link', { name: 'Go live' }).first().click()
  await page.getByRole('row').filter({ hasText: 'It has refreshed a token' }).getByText('done').waitFor()
  await page.getByLabel('Redirect URIs').fill('http://localhost:8400/callback')
  await page.getByLabel('Expected volume').fill('200 users and 5,000 calls a day')
  await page.getByRole('button', { name: 'Make the request' }).click()
  await page.getByText('must be https in production').waitFor()
  await page.getByLabel('Redirect URIs').fill('https://app.ledgerline.example/callback')
  await page.getByRole('button', { name: 'Make the request' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download the file' }).click()
  const file = await (await download).path()

  const operator = await newOperator(production, { name: 'Olive Owner' })
  const atDesk = await signedInContext(production, browser, operator.browser)
  const desk = await atDesk.newPage()
  await desk.goto(`${production.authUrl}/admin/partners`)
  await desk.getByRole('link', { name: 'Open a request to go live' }).click()
  await desk.getByLabel('The file of the partner').setInputFiles(file)
  await desk.getByRole('button', { name: 'Look at it' }).click()
  await desk.getByRole('heading', { name: 'Ledgerline' }).waitFor()
  await desk.getByText('Not done in the sandbox: It uses PKCE;').waitFor()
  await desk.getByRole('button', { name: 'Register the partner' }).click()
  await desk.getByRole('heading', { name: 'The partner is live' }).waitFor()
  const clientId = await desk.locator('main code.id').first().innerText()
  const row = desk.getByRole('row').filter({ hasText: 'dora@ledgerline.example' })
  const link = await row.locator('code.id').innerText()
  expect(await desk.content()).not.toContain('lk_live_cs')
  expect(await latestRecord(production, 'partner.created')).toMatchObject({
    ...{ via: 'console', actor_name: 'Olive Owner', target_id: clientId },
    details: {
      request: { sandbox_client_id: partner.clientId, requested_by: 'Dora <dora@ledgerline.example>' },
    },
  })

  const visitor = new Visitor()
  await setUpDeveloper(production, visitor, link)
  const inProduction = await signedInContext(production, browser, visitor)
  const home = await inProduction.newPage()
  await home.goto(`${production.authUrl}/developers`)
  await home.getByRole('link', { name: 'Credentials' }).first().click()
  await home.getByText('No secret is accepted.').waitFor()
  await home.getByRole('link', { name: 'New secret' }).click()
  await home.getByRole('button', { name: 'secret' }).click()
  const clientSecret = await home.locator('.new-secret .id').innerText()
  const redirectUri = 'https://app.ledgerline.example/callback'
  const tokens = await tokensFor(production, { clientId, clientSecret, redirectUri }, 'ada')
  expect(tokens.accessToken).toMatch(/^lk_live_at_/)
  await Promise.all([inSandbox.close(), atDesk.close(), inProduction.close()])
})

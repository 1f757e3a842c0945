import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { signedInContext } from '../support/browser.ts'
import { tokensFor } from '../support/connection.ts'
import { latestRecord } from '../support/console.ts'
import { query } from '../support/database.ts'
import { developerOfApp } from '../support/developers.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'
import { refresh } from '../support/journey.ts'
import type { TestPartner } from '../support/server.ts'

const server = await serverFixture({ users: ['ada', 'bob'], households: ['h1'] })
const browser = await browserFixture()

/** A developer works on the pages of an application. */
async function atDeveloperPages(partner: TestPartner, email: string, work: (page: Page) => Promise<void>) {
  const developer = await developerOfApp(server, partner.clientId, { email, role: 'developer' })
  const context = await signedInContext(server, browser, developer.browser)
  const page = await context.newPage()
  await page.goto(`${server.authUrl}/developers/apps/${partner.clientId}`)
  await work(page)
  await context.close()
}

test('a developer finds out why last night’s sync failed: the log names the cause and the remedy, and leads to the docs', async () => {
  const partner = await server.partner({ name: 'Ledgerline' })
  const { refreshToken } = await tokensFor(server, partner, 'ada')
  await tokensFor(server, partner, 'bob')
  await query(
    server.database,
    `UPDATE grants SET revoked_at = now(), revoked_by = 'user' WHERE user_id = 'ada'`,
  )
  expect((await refresh(server, partner, refreshToken)).status).toBe(400)
  await server.context.requestLog?.write()
  await server.context.callHours.write()
  await atDeveloperPages(partner, 'dana@ledgerline.example', async (page) => {
    await page.getByRole('link', { name: '1 refresh refused in the last day' }).click()
    const row = page.getByRole('row').filter({ hasText: 'invalid_grant' })
    await row.getByRole('link').click()
    await page.getByText('The user pressed Disconnect on the page Connected apps.').waitFor()
    await page.getByText('Ask the user to connect again.').first().waitFor()
    const docs = page.getByRole('link', { name: 'This error in the docs' })
    await docs.click()
    await page.getByRole('heading', { name: 'invalid_grant' }).first().waitFor()
    expect(new URL(page.url()).hash).toBe('#ended-by-user')
    await page.goBack()
    await page.getByRole('definition').getByRole('link').last().click()
    await page.getByText('disconnected by the user').first().waitFor()
  })
})

test('a developer rotates a leaked secret without downtime: both work until the old one is ended', async () => {
  const partner = await server.partner({ name: 'Harbor Reports' })
  const works = async (clientSecret: string) => {
    const { accessToken } = await tokensFor(server, { ...partner, clientSecret }, 'ada')
    return accessToken !== ''
  }
  await atDeveloperPages(partner, 'hana@harbor.example', async (page) => {
    await page.getByRole('link', { name: 'Credentials' }).first().click()
    await page.getByRole('link', { name: 'New secret' }).click()
    await page.getByRole('button', { name: 'Make a new secret' }).click()
    const secret = await page.locator('.new-secret .id').innerText()
    expect(page.url()).not.toContain(secret)
    expect(await works(partner.clientSecret)).toBe(true)
    expect(await works(secret)).toBe(true)

    await page.getByRole('link', { name: 'Open the credentials' }).click()
    await page.getByRole('row', { name: 'the one before' }).waitFor()
    expect(await page.content()).not.toContain(secret)
    await page.getByRole('button', { name: 'End the old secret now' }).click()
    await page.getByText('The old secret has ended.').waitFor()
    await expect(works(partner.clientSecret)).rejects.toThrow('invalid_client')
    expect(await works(secret)).toBe(true)
  })
  expect(await latestRecord(server, 'partner.secret_ended')).toMatchObject({
    ...{ via: 'developer_pages', actor_name: 'Dana Developer', target_id: partner.clientId },
  })
})

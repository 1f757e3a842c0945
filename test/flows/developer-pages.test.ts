import { expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { addEndpoint } from '../../src/webhooks/endpoints.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { developerOfApp } from '../support/developer-session.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'

const server = await serverFixture({ users: ['ada', 'bob'], households: ['h1', 'h2'] })
const { database, authUrl } = server
const partner = await server.partner({ name: 'Ledgerline' })
const dana = await developerOfApp(server, partner.clientId)
const { accessToken } = await tokensFor(server, partner, 'ada')

const page = (path: string) => dana.browser.get(`${authUrl}/developers/apps/${partner.clientId}${path}`)

test('all pages', async () => {
  const call = await api(server, 'households?page_size=0', accessToken, { 'X-API-Request-ID': 'sync-1' })
  expect(call.status).toBe(400)
  await server.context.requestLog?.write()
  await server.context.callHours.write()
  const [grant] = await query<{ id: string }>(database, 'SELECT id FROM grants')
  for (const path of [
    '/requests',
    '/requests?request_id=sync-1',
    '/requests?status=all&period=24h',
    '/deprecated',
    '/connections',
    `/connections/${grant?.id}`,
    '/webhooks',
    '/webhooks/new',
    '/webhooks/messages',
  ]) {
    const shown = await page(path)
    expect(shown.status, path).toBe(200)
    console.log('-----', path, shown.document.querySelector('main')?.structuredText)
  }
})

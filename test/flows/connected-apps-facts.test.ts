import { describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { listGrants } from '../../src/grants/grants.sql.ts'
import { revokeGrant } from '../../src/grants/grants.ts'
import { createPartner } from '../../src/partners/partners.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, connect } from '../support/journey.ts'

import { disconnect, loggedIn } from '../support/pages.ts'
import type { Page, Visitor } from '../support/visitor.ts'

const server = await serverFixture({
  users: ['ada', 'bob', 'cleo', 'dan', 'eve'],
  households: ['h1', 'h2'],
  accounts: [{ id: 'a1', household: 'h1' }],
})
const ledger = await server.partner({ name: 'Ledger', redirectUri: 'https://ledger.example/callback' })

const appsPage = (visitor: Visitor, language = 'en') =>
  visitor.get(`${server.authUrl}/connections`, { 'accept-language': language })

/** The definition list of the first application: each term with its text. */
function facts(page: Page): Record<string, string> {
  const items = page.document.querySelector('article')?.querySelectorAll('dl div') ?? []
  return Object.fromEntries(
    items.map((item) => [item.querySelector('dt')?.text ?? '', item.querySelector('dd')?.text ?? '']),
  )
}

/** The site of the first application. */
const siteOf = (page: Page) => page.document.querySelector('article .site')?.text

/** The rows of the history: name, both dates ("today" for today in UTC), and who ended the connection. */
function history(page: Page): string[][] {
  const today = new Date().toISOString().slice(0, 10)
  return page.document
    .querySelectorAll('.history tbody tr')
    .map((row) => [
      row.querySelector('th bdi')?.text ?? '',
      ...row
        .querySelectorAll('time')
        .map((time) => (time.getAttribute('datetime')?.startsWith(today) ? 'today' : time.text)),
      row.querySelector('.by')?.text ?? '',
    ])
}

describe('what an application has read', () => {
  test('is shown on the page: requests, households, accounts, and when it was last used', async () => {
    const accessToken = await accessTokenOf(server.database, 'ada')
    const visitor = await loggedIn(server, 'ada')
    expect(siteOf(await appsPage(visitor))).toBe('partner.example')
    expect(facts(await appsPage(visitor))).toMatchObject({
      'Last used': 'Never',
      Requests: '0',
      Households: '0',
      Accounts: '0',
    })
    for (const path of ['households', 'households', 'households/h1/accounts']) {
      expect((await api(server, path, accessToken)).status).toBe(200)
    }
    await server.context.usage.write()
    const shown = facts(await appsPage(visitor))
    expect(shown).toMatchObject({ Requests: '3', Households: '4', Accounts: '1' })
    expect(shown['Last used']).toMatch(/^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d\d:\d\d UTC$/)
  })

  test('is counted for the last 30 days in UTC, including today', async () => {
    await accessTokenOf(server.database, 'bob')
    await query(
      server.database,
      `INSERT INTO grant_reads (grant_id, day, requests, households, accounts)
       SELECT id, (now() AT TIME ZONE 'UTC')::date - ago, ago * 1000000 + 1, 1, 1
         FROM grants, unnest('{0,1,29,30,31}'::int[]) AS ago WHERE user_id = 'bob'`,
    )
    const visitor = await loggedIn(server, 'bob')
    const page = await appsPage(visitor)
    expect(facts(page)).toMatchObject({ Requests: '30,000,003', Households: '3' })
    // The chart has a bar for each of these days at its place, and the same figures as a table, the newest day first.
    const bars = page.document.querySelectorAll('.chart rect')
    expect(bars.map((bar) => [bar.getAttribute('x'), bar.getAttribute('height')])).toEqual([
      ['1.5', '60'],
      ['281.5', '60'],
      ['291.5', '60'],
    ])
    const requests = page.document
      .querySelectorAll('.chart tbody tr')
      .map((row) => row.querySelector('td')?.text)
    expect(requests).toEqual(['1', '1,000,001', '29,000,001'])
    expect(page.document.querySelector('.chart svg > title')?.text).toMatch(/: 2 on [A-Z][a-z]{2} \d{1,2}$/)
  })

  test('uses the number and date formats of the page’s language', async () => {
    const visitor = await loggedIn(server, 'bob')
    await query(
      server.database,
      `UPDATE grants SET created_at = '2026-03-04T23:30:00-01:00' WHERE user_id = 'bob'`,
    )
    const shown = async (language: string) => {
      const page = await appsPage(visitor, language)
      expect(page.document.querySelector('html')?.getAttribute('lang')).toBe(language)
      const [connected, , , requests] = Object.values(facts(page))
      return [connected, requests]
    }
    expect(await shown('en')).toEqual(['Mar 5, 2026, 00:30 UTC', '30,000,003'])
    expect(await shown('de')).toEqual(['5. März 2026, 00:30 UTC', '30.000.003'])
    expect(await shown('fr')).toEqual(['5 mars 2026, 00:30 UTC', '30\u202f000\u202f003'])
    expect(await shown('es')).toEqual(['5 mar 2026, 00:30 UTC', '30.000.003'])
  })
})

describe('the site', () => {
  test('is the site of the latest connection, not of the first redirect URI that the partner registered', async () => {
    const redirectUris = ['https://first.example/callback', 'https://second.example:8443/callback']
    const created = await createPartner(server.database, systemOrigin, 'sandbox', {
      name: 'Two sites',
      redirectUris,
      requirePkce: false,
    })
    if (created.kind === 'refused') throw new Error(created.faults.join())
    const visitor = await loggedIn(server, 'eve')
    const sites: (string | undefined)[] = []
    for (const redirectUri of [...redirectUris, redirectUris[0] ?? '']) {
      const partner = { clientId: created.clientId, clientSecret: created.clientSecret ?? '', redirectUri }
      await connect(server, partner, 'eve', {}, visitor)
      sites.push(siteOf(await appsPage(visitor)))
      const [listed] = await server.database.run(listGrants, ['eve', created.clientId, false])
      expect(listed?.redirect_uri).toBe(redirectUri)
    }
    expect(sites).toEqual(['first.example', 'second.example:8443', 'first.example'])
  })
})

describe('the history', () => {
  test('shows when each grant started and ended and who ended it, newest first', async () => {
    const visitor = await loggedIn(server, 'cleo')
    expect(history(await appsPage(visitor))).toEqual([])
    await connect(server, ledger, 'cleo', {}, visitor)
    await disconnect(visitor, server)
    await connect(server, ledger, 'cleo', {}, visitor)
    const [live] = await query<{ id: string }>(
      server.database,
      `SELECT id FROM grants WHERE user_id = 'cleo' AND revoked_at IS NULL`,
    )
    await revokeGrant(server.database, systemOrigin, { id: live?.id ?? '' })
    await connect(server, ledger, 'cleo', {}, visitor)
    const page = await appsPage(visitor)
    expect(history(page)).toEqual([
      ['Ledger', 'today', 'today', 'by the operator of this service'],
      ['Ledger', 'today', 'today', 'by you'],
    ])
    expect(page.document.querySelectorAll('article').length).toBe(1)
  })

  test('shows at most 20 grants, only those of this user, and old grants for which no one is recorded as ending them', async () => {
    await query(
      server.database,
      `INSERT INTO grants (user_id, client_id, subject, created_at, revoked_at)
       SELECT 'dan', $1, 's', '2026-01-01', '2026-01-01'::timestamptz + make_interval(days => n) FROM generate_series(1, 25) n`,
      [ledger.clientId],
    )
    const rows = history(await appsPage(await loggedIn(server, 'dan')))
    expect(rows.length).toBe(20)
    expect(rows[0]).toEqual(['Ledger', 'Jan 1, 2026, 00:00 UTC', 'Jan 26, 2026, 00:00 UTC', ''])
    expect(history(await appsPage(await loggedIn(server, 'ada')))).toEqual([])
  })
})

import { describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { applyLifetime } from '../../src/grants/grants.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { expire, grantsOf } from '../support/grants.ts'
import { api, authorize, connect } from '../support/journey.ts'
import { disconnect, loggedIn } from '../support/pages.ts'
import type { TestPartner } from '../support/server.ts'
import type { Page, Visitor } from '../support/visitor.ts'

const db = await databaseFixture()
const server = await serverFixture({
  on: db,
  users: ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn', 'gus'],
  grantLifetimeDays: 90,
})
/** Another server on the same database, after the operator has removed the setting. */
const unlimited = await serverFixture({ on: db })
const ledger = await server.partner({ name: 'Ledger' })
const weekly = await server.partner({ name: 'Weekly', grantLifetimeDays: 7 })
const yearly = await server.partner({ name: 'Yearly', grantLifetimeDays: 365 })

const consent = (partner: TestPartner, userId: string, visitor: Visitor, at = server) =>
  connect(at, partner, userId, {}, visitor)
const days = async (userId: string) => (await grantsOf(server, userId)).map((grant) => grant.days)
const appsPage = (visitor: Visitor, at = server) => visitor.get(`${at.authUrl}/connections`)
const setDays = (userId: string, left: number) =>
  query(
    server.database,
    'UPDATE grants SET expires_at = now() + make_interval(days => $2) WHERE user_id = $1',
    [userId, left],
  )

/** The fact with this term on the first card. */
function fact(page: Page, term: string): string | undefined {
  const facts = page.document.querySelectorAll('.facts > div')
  return facts.find((one) => one.querySelector('dt')?.text === term)?.querySelector('dd')?.text
}

const renewButton = (page: Page) =>
  page.document.querySelector('form[action="/connections/renew"] button')?.text

const renew = async (visitor: Visitor, at = server) =>
  visitor.follow(await visitor.submit(await appsPage(visitor, at), '/connections/renew', {}))

const dayAfter = (daysAhead: number) =>
  new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(
    Date.now() + daysAhead * 86_400_000,
  )

describe('a consent', () => {
  test('ends after the days of the partner, or else of the deployment, and the connect page says so before', async () => {
    const visitor = await loggedIn(server, 'ada')
    for (const [partner, lifetime] of [
      [ledger, 90],
      [weekly, 7],
      [yearly, 365],
    ] as const) {
      const before = [0, 1].map((late) => `Until ${dayAfter(lifetime + late)} (${lifetime} days), unless`)
      const page = await authorize(visitor, server, partner)
      expect(before.some((text) => page.text.includes(text))).toBe(true)
      await consent(partner, 'ada', visitor)
    }
    expect(await days('ada')).toEqual([90, 7, 365])
    // The mail is due a week before the end. A consent of a week has none.
    expect((await grantsOf(server, 'ada')).map(({ notice_days }) => notice_days)).toEqual([83, null, 358])
  })

  test('has no end without a setting, and the pages say so', async () => {
    const visitor = await loggedIn(unlimited, 'bob')
    const page = await authorize(visitor, unlimited, ledger)
    expect(page.text).toContain('Until you disconnect it, or it stays unused for 30 days.')
    await consent(ledger, 'bob', visitor, unlimited)
    expect(await days('bob')).toEqual([null])
    const list = await appsPage(visitor, unlimited)
    expect(fact(list, 'Ends')).toBe('When you disconnect it')
    expect(renewButton(list)).toBeUndefined()
  })

  test('is renewed by connecting again, but not by prompt=none; older connections go on', async () => {
    const visitor = await loggedIn(server, 'cleo')
    const { accessToken } = await tokensFor(server, ledger, 'cleo')
    const connectPage = await authorize(visitor, server, ledger)
    expect(connectPage.document.querySelector('.notice')?.text).toContain('already connected')
    await setDays('cleo', 3)
    await authorize(visitor, server, ledger, { prompt: 'none' })
    expect(await days('cleo')).toEqual([3])
    await consent(ledger, 'cleo', visitor)
    expect(await days('cleo')).toEqual([90])
    expect((await api(server, 'households', accessToken)).status).toBe(200)
  })
})

describe('Connected apps', () => {
  test('says when a connection ends, and one press renews it for the days of then', async () => {
    const visitor = await loggedIn(server, 'dan')
    const { accessToken } = await tokensFor(server, ledger, 'dan')
    expect(renewButton(await appsPage(visitor))).toBeUndefined() // just given
    await setDays('dan', 3)
    const page = await appsPage(visitor)
    expect(renewButton(page)).toBe('Renew for 90 days')
    expect(fact(page, 'Ends')).toMatch(/^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d\d:\d\d UTC$/)
    const renewed = await renew(visitor)
    expect([renewed.status, renewButton(renewed)]).toEqual([200, undefined])
    expect(fact(renewed, 'Ends')).toMatch(/UTCor .* UTC if unused until then$/)
    expect(await grantsOf(server, 'dan')).toMatchObject([{ live: true, days: 90, notice_days: 83 }])
    expect((await api(server, 'households', accessToken)).status).toBe(200)
  })

  test('never makes an end earlier, and removes it if the setting was removed', async () => {
    const visitor = await loggedIn(server, 'eve')
    await consent(ledger, 'eve', visitor)
    await setDays('eve', 3)
    const stale = await appsPage(visitor)
    await setDays('eve', 200)
    await visitor.submit(stale, '/connections/renew', {})
    expect(await days('eve')).toEqual([200])
    expect(renewButton(await appsPage(visitor))).toBeUndefined()
    const other = await loggedIn(unlimited, 'eve')
    expect(renewButton(await appsPage(other, unlimited))).toBe('Renew without an end')
    await renew(other, unlimited)
    expect(await grantsOf(server, 'eve')).toMatchObject([{ days: null, notice_days: null }])
  })

  test('shows why a connection ended: by time, or before its time by the user', async () => {
    const visitor = await loggedIn(server, 'finn')
    await consent(ledger, 'finn', visitor)
    await expire(server, 'finn')
    await consent(ledger, 'finn', visitor) // closes the row that has expired
    await disconnect(visitor, server)
    await consent(ledger, 'finn', visitor)
    await query(
      server.database,
      `UPDATE grants SET expires_at = now() WHERE user_id = 'finn' AND revoked_at IS NULL`,
    )
    const page = await appsPage(visitor)
    expect(page.document.querySelectorAll('article')).toEqual([])
    expect(page.document.querySelectorAll('.history .by').map(({ text }) => text)).toEqual([
      'because its time was over',
      'by you',
      'because its time was over',
    ])
  })

  test('says that an app has no access when its tokens have expired', async () => {
    const visitor = await loggedIn(server, 'gus')
    await tokensFor(server, ledger, 'gus')
    expect((await appsPage(visitor)).document.querySelector('.notice')).toBeNull()
    await query(server.database, `UPDATE connections SET refreshed_at = now() - interval '31 days'`)
    expect((await appsPage(visitor)).document.querySelector('.notice')?.text).toContain('can’t read anything')
  })
})

test('a shorter setting changes existing consents only when it is applied, and never to a later end', async () => {
  const before = await query<{ user_id: string; days: number | null }>(
    server.database,
    `SELECT user_id, round(extract(epoch FROM expires_at - now()) / 86400)::int AS days FROM grants
      WHERE client_id = $1 AND revoked_at IS NULL AND coalesce(expires_at > now(), true) ORDER BY user_id`,
    [ledger.clientId],
  )
  expect(before).toContainEqual({ user_id: 'bob', days: null })
  const apply = (clientId: string | undefined, defaultDays: number | undefined) =>
    applyLifetime(server.database, systemOrigin, { clientId, defaultDays })
  expect(await apply(ledger.clientId, undefined)).toBe(0)
  const limited = await apply(ledger.clientId, 30)
  const longer = before.filter((grant) => grant.days === null || grant.days > 30)
  expect(limited).toBe(longer.length)
  expect(await days('bob')).toEqual([30])
  expect(await days('ada')).toEqual([30, 7, 365]) // only the consents for this partner
  expect(await apply(undefined, 30)).toBe(0)
})

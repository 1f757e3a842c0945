import { renderToString } from 'preact-render-to-string'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Status } from '../../src/status/current-status.ts'
import { writeHeartbeat } from '../../src/status/heartbeat.sql.ts'
import { RenderedStatus } from '../../src/status/rendered-status.tsx'
import { chooseTexts } from '../../src/web/languages/languages.ts'
import { tokensFor } from '../support/connection.ts'
import { countingDatabase } from '../support/counting-database.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture } from '../support/fixtures.ts'
import { type InterruptibleDatabase, interruptibleDatabase } from '../support/interruptible-database.ts'
import { api } from '../support/journey.ts'
import { type TestServer, testServer } from '../support/server.ts'
import { Visitor } from '../support/visitor.ts'

describe('89: the status page is public', () => {
  let server: TestServer
  const counting = databaseFixture(countingDatabase)
  beforeAll(async () => {
    server = await testServer({ on: await counting })
    await seed(server.database, { users: [{ id: 'ada', sees: 'firm' }], households: ['h'] })
    await server.database.run(writeHeartbeat, [])
  })
  afterAll(() => server.close())

  const get = (path: string) => fetch(server.authUrl + path)

  test('89: a flood of requests for page and document reaches the database once in ten seconds', async () => {
    const flood = () =>
      Promise.all(Array.from({ length: 60 }, (_, n) => get(n % 2 ? '/status' : `/status.json?${n}`)))
    const { statementsDuring } = await counting
    server.stopClock()
    expect(
      await statementsDuring(async () => {
        for (const answer of [...(await flood()), ...(await flood())]) expect(answer.status).toBe(200)
      }),
    ).toBe(1)
    server.advanceClock(11)
    expect(await statementsDuring(flood)).toBe(1)
  })

  test('89: a flood of requests renders the figures once for each language and report', () => {
    const english = chooseTexts(undefined, 'en', undefined)
    let renderings = 0
    const texts = {
      ...english,
      get status() {
        renderings++
        return english.status
      },
    }
    const rendered = new RenderedStatus()
    const report = { status: 'available', report: undefined } as const
    const show = (status: Status, of = texts) => renderToString(rendered.bodyOf(status, of))
    const first = show(report)
    const once = renderings
    expect(show({ ...report })).toBe(first)
    expect(renderings).toBe(once)
    expect(show({ ...report, status: 'unavailable' })).toContain(english.status.unavailable)
    expect(show(report, chooseTexts(undefined, 'de', undefined))).not.toBe(first)
    expect(show(report)).toBe(first)
  })

  test('89: neither page nor document names partners, users, servers, versions or amounts of calls', async () => {
    const partner = await server.partner({ name: 'Ledger' })
    const { accessToken } = await tokensFor(server, partner, 'ada')
    for (let calls = 0; calls < 23; calls++) await api(server, 'households', accessToken)
    await server.context.callHours.write()
    server.advanceClock(11)
    const page = await (await get('/status')).text()
    const document = await (await get('/status.json')).text()
    expect(JSON.parse(document).last_30_days.read.p50_ms).toBeGreaterThan(0)
    for (const text of [page, document]) {
      for (const secret of ['Ledger', partner.clientId, 'ada', '127.0.0.1:', 'latchkey_', 'version'])
        expect(text).not.toContain(secret)
      expect(text).not.toMatch(/\b2[34] (calls|requests)\b|"calls"/)
    }
  })

  test('89: refused calls without credentials, and failures that a partner requests, change no figure', async () => {
    const { accessToken } = await tokensFor(server, await server.partner(), 'ada')
    await query(server.database, 'TRUNCATE call_days')
    for (const scenario of ['unavailable', 'internal_error', 'slow']) {
      const headers = { authorization: `Bearer ${accessToken}`, 'latchkey-sandbox': scenario }
      if (scenario !== 'slow')
        expect((await fetch(`${server.baseUrl}api/v1/households`, { headers })).status).toBeGreaterThan(499)
    }
    for (let calls = 0; calls < 20; calls++) await get('/api/v1/households')
    await server.context.callHours.write()
    const days = await query(
      server.database,
      `SELECT calls::int, failed::int FROM call_days WHERE kind = 'read'`,
    )
    expect(days).toEqual([{ calls: 0, failed: 0 }])
  })
})

describe('89: the database is away', () => {
  let database: InterruptibleDatabase
  let fragile: TestServer
  beforeAll(async () => {
    database = await interruptibleDatabase()
    fragile = await testServer({ on: database })
    await database.direct.run(writeHeartbeat, [])
  })
  afterAll(async () => {
    await fragile.close()
    await database.drop()
  })

  test('89: the page answers from memory, and says so', async () => {
    const page = async () => {
      fragile.advanceClock(11)
      return new Visitor().get(`${fragile.authUrl}/status`)
    }
    expect((await page()).status).toBe(200)
    await database.cut()
    const disrupted = await page()
    expect([disrupted.status, disrupted.headers.get('retry-after')]).toEqual([503, '10'])
    expect(disrupted.document.querySelector('.notice.warning')?.text).toContain('disrupted')
    expect(disrupted.document.querySelectorAll('.months tbody tr')).toHaveLength(13)
    const document = await fetch(`${fragile.authUrl}/status.json`)
    expect(document.status).toBe(503)
    expect(await document.json()).toMatchObject({
      status: 'unavailable',
      last_30_days: { outage_seconds: 0 },
    })
    await database.heal()
    expect((await page()).status).toBe(200)
  })

  test('89: a server that was started meanwhile has no figures, and answers too', async () => {
    const newcomer = await testServer({ on: database })
    await database.cut()
    const page = await new Visitor().get(`${newcomer.authUrl}/status`)
    expect(page.status).toBe(503)
    expect(page.document.querySelector('.months')).toBeNull()
    await database.heal()
    await newcomer.close()
  })
})

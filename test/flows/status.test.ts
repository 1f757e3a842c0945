import { pino } from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Value } from '../../src/database/database.ts'
import { addCallHours } from '../../src/request-log/call-hours.sql.ts'
import { recordLostHeartbeats } from '../../src/status/heartbeat.sql.ts'
import { Heartbeat } from '../../src/status/heartbeat.ts'
import { type Report, reportOf } from '../../src/status/report.ts'
import { readStatus } from '../../src/status/status.sql.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { purge } from '../support/purge.ts'
import { Visitor } from '../support/visitor.ts'

const server = await serverFixture({ clock: true })
const { database } = server
const logger = pino({ level: 'silent' })

/** What two servers do, without their timers. */
const [one, two] = [new Heartbeat(database, logger), new Heartbeat(database, logger)]

/** Sets the database's clock, which stands still between the steps of a test. */
async function setClock(at: string): Promise<void> {
  await query(
    database,
    `CREATE OR REPLACE FUNCTION moved.now() RETURNS timestamptz STABLE LANGUAGE sql AS $$SELECT timestamptz '${at}'$$`,
  )
}

let now = 0
async function pass(seconds: number): Promise<void> {
  now += seconds * 1000
  await setClock(new Date(now).toISOString())
}

/** These servers run for so many seconds, and each writes a heartbeat every five seconds. */
async function run(seconds: number, ...servers: Heartbeat[]): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    await pass(5)
    for (const each of servers) await each.beat()
  }
}

async function report(): Promise<Report> {
  return reportOf(await database.one(readStatus, []))
}

/** Times of the outages as hours, minutes and seconds, the newest first. */
async function outages(): Promise<string[]> {
  const time = (at: string | null) => at?.slice(11, 19) ?? 'now'
  return (await report()).outages.map(({ from, to }) => `${time(from)} to ${time(to)}`)
}

async function rowsOf(table: string): Promise<number> {
  return (await query(database, `SELECT FROM ${table}`)).length
}

beforeEach(async () => {
  await query(database, 'TRUNCATE uptimes, lost_heartbeats, call_days, call_hours')
  now = Date.parse('2026-03-15T12:00:00Z')
  await pass(0)
})

describe('outages', () => {
  beforeEach(() => Promise.all([one.beat(), two.beat()]))

  test('two servers, one is killed: none; both are killed: from the last heartbeat to the next', async () => {
    await run(30, one, two)
    await run(30, two) // until 12:01:00
    expect(await outages()).toEqual([])
    await pass(12)
    expect(await outages()).toEqual(['12:01:00 to now'])
    await pass(91)
    await one.beat()
    expect(await outages()).toEqual(['12:01:00 to 12:02:43'])
    await run(30, one, two)
    expect(await outages()).toEqual(['12:01:00 to 12:02:43'])
    expect((await report()).outages[0]?.seconds).toBe(103)
  })

  test('one lost heartbeat is no outage, two are one', async () => {
    await pass(5)
    await run(5, one)
    expect(await outages()).toEqual([])
    await pass(10)
    await run(5, one)
    expect(await outages()).toEqual(['12:00:10 to 12:00:25'])
  })

  test('a clock that goes back is no outage', async () => {
    await run(10, one)
    await pass(-600)
    await run(10, one)
    expect(await outages()).toEqual([])
    await pass(595)
    await run(10, one)
    expect(await outages()).toEqual([])
  })

  test('time without an outage is one row, also if several servers begin at once', async () => {
    await run(60, one, two)
    expect(await rowsOf('uptimes')).toBe(1)
    await pass(100)
    // Another server's row of the same moment, of which this statement has no snapshot.
    await query(database, `INSERT INTO uptimes VALUES (now() - interval '3 milliseconds', now())`)
    await query(database, 'INSERT INTO uptimes VALUES (now(), now())')
    await run(60, one, two)
    expect(await rowsOf('uptimes')).toBe(3)
    expect(await outages()).toHaveLength(1)
  })

  test('the time that a restore has lost is neither up nor down', async () => {
    await pass(3600)
    await database.run(recordLostHeartbeats, [])
    await pass(60)
    await one.beat()
    await run(60, one)
    expect(await outages()).toEqual(['13:00:00 to 13:01:00'])
    expect((await report()).last_30_days).toMatchObject({ availability: 0.5, outage_seconds: 60 })
  })
})

describe('availability', () => {
  test('is counted from the first heartbeat, by day, month and 30 days, and is never rounded up', async () => {
    await query(database, `INSERT INTO uptimes VALUES ('2026-01-30T12:00Z', '2026-01-31T23:00Z')`)
    await query(database, `INSERT INTO uptimes VALUES ('2026-02-01T01:00Z', '2026-03-15T11:59:40Z')`)
    await one.beat()
    const { days, months, last_30_days, measured_since } = await report()
    expect(measured_since).toBe('2026-01-30T12:00:00.000Z')
    const day = (name: string) => days.find((each) => each.day === name)
    expect(day('2026-01-29')).toMatchObject({ availability: null, outage_seconds: 0 })
    expect(day('2026-01-30')).toMatchObject({ availability: 1, outage_seconds: 0 })
    expect(day('2026-01-31')).toMatchObject({ availability: 0.958333, outage_seconds: 3600 })
    expect(day('2026-02-01')).toMatchObject({ availability: 0.958333, outage_seconds: 3600 })
    expect(day('2026-03-15')).toMatchObject({ availability: 0.999537, outage_seconds: 20 })
    expect(last_30_days).toMatchObject({ availability: 0.999992, outage_seconds: 20 })
    expect(months.map(({ month }) => month)).toHaveLength(13)
    expect(months[0]).toMatchObject({ month: '2025-03', availability: null })
    expect(months.at(-2)).toMatchObject({ month: '2026-02', availability: 0.998511 })
    expect(days[0]?.day).toBe('2025-03-01')
    expect(days.at(-1)?.day).toBe('2026-03-15')
  })

  test('the rows are deleted after 13 months, but not the uptime that goes on', async () => {
    await query(
      database,
      `INSERT INTO uptimes VALUES ('2024-01-01Z', '2025-02-15T11:59Z'), ('2025-02-15T12:01Z', now())`,
    )
    await query(database, `INSERT INTO lost_heartbeats VALUES ('2024-05-01Z', '2024-05-02Z')`)
    await query(
      database,
      `INSERT INTO call_days VALUES ('2025-02-14', 'read', 1, 0, '{}'), (now(), 'read', 1, 0, '{}')`,
    )
    expect(await purge(database)).toEqual({ uptimes: 1, lost_heartbeats: 1, call_days: 1 })
    expect([await rowsOf('uptimes'), await rowsOf('call_days')]).toEqual([1, 1])
  })
})

describe('calls', () => {
  type Call = {
    hour: string
    kind?: string
    client?: string
    calls: number
    failed?: number
    slower: number[]
  }

  /** What a server writes every few seconds. */
  async function count(...calls: Call[]): Promise<void> {
    const columns: ((call: Call) => string | number)[] = [
      ({ hour }) => hour,
      ({ kind = 'read' }) => kind,
      ({ client = 'some' }) => client,
      (call) => call.calls,
      () => 0,
      ({ failed = 0 }) => failed,
      () => 0,
      ({ slower }) => `{${Array.from({ length: 13 }, (_, n) => slower[n] ?? 0)}}`,
    ]
    const values: Value[] = columns.map((of) => calls.map((call) => String(of(call))))
    await database.run(addCallHours, values)
  }

  test('percentiles and failures are those of all partners together, by day and kind', async () => {
    const [morning, evening] = ['2026-03-14T01:00Z', '2026-03-14T23:00Z']
    await count(
      { hour: morning, calls: 50, slower: [50] },
      { hour: morning, client: 'other', calls: 40, failed: 1, slower: [0, 40] },
      { hour: morning, kind: 'token', calls: 4, slower: [0, 0, 0, 0, 4] },
    )
    await count({ hour: evening, calls: 10, slower: [0, 0, 0, 0, 0, 0, 10] })
    const { days, months } = await report()
    const yesterday = days.at(-2)
    expect(yesterday?.read).toEqual({ p50_ms: 1, p95_ms: 75, p99_ms: 95, failed_share: 0.01 })
    expect(yesterday?.token).toEqual({ p50_ms: 15, p95_ms: 20, p99_ms: 20, failed_share: 0 })
    expect(days.at(-1)).toMatchObject({ read: null, token: null })
    expect(months.at(-1)?.read).toEqual(yesterday?.read)
  })

  test('without valid credentials, only failed calls count', async () => {
    const hour = '2026-03-15T01:00Z'
    await count(
      { hour, calls: 99, slower: [0, 0, 0, 99] },
      { hour, client: '', calls: 9000, failed: 1, slower: [9000] },
      { hour, client: 'some', kind: 'other', calls: 9000, failed: 9000, slower: [9000] },
    )
    const today = (await report()).days.at(-1)
    expect(today?.read).toMatchObject({ p50_ms: 7.5, failed_share: 0.01 })
  })
})

describe('the page', () => {
  /** As the server shows it ten seconds later. */
  async function page(language: string) {
    server.advanceClock(11)
    return new Visitor().get(`${server.authUrl}/status`, { 'accept-language': language })
  }

  beforeEach(async () => {
    await one.beat()
    await pass(187)
    await one.beat()
  })

  test.each([
    ['en', 'The service works', '3 minutes 7 seconds'],
    ['de', 'Der Dienst funktioniert', '3 Minuten 7 Sekunden'],
    ['fr', 'Le service fonctionne', '3 minutes 7 secondes'],
    ['es', 'El servicio funciona', '3 minutos 7 segundos'],
  ])('%s: says whether the service works, and lists the outages', async (language, works, duration) => {
    const { status, document } = await page(language)
    expect(status).toBe(200)
    expect(document.querySelector('html')?.getAttribute('lang')).toBe(language)
    expect(document.querySelector('.done')?.text).toContain(works)
    expect(
      document.querySelectorAll('.rows li strong').map(({ text }) => text.replaceAll('\u00a0', ' ')),
    ).toEqual([duration])
    expect(document.querySelectorAll('.months tbody tr')).toHaveLength(13)
  })

  test('every day is a bar, with what a reader of the screen needs', async () => {
    const { document } = await page('en')
    const bars = document.querySelectorAll('.months rect')
    expect(bars).toHaveLength(365 + 15)
    const march = document.querySelector('.months tbody tr')
    expect(march?.querySelector('svg > title')?.text).toBe('Outage on March 15')
    expect(march?.querySelectorAll('rect title').at(-1)?.text).toBe(
      'March 15: 0%, outage of 3 minutes 7 seconds',
    )
    expect(document.querySelectorAll('.months tbody tr').at(1)?.querySelector('svg > title')?.text).toBe(
      'No data',
    )
  })

  test('an outage that goes on: 503, with the figures', async () => {
    await pass(30)
    const { status, document, headers } = await page('en')
    expect([status, headers.get('retry-after')]).toEqual([503, '10'])
    expect(document.querySelector('.notice.warning')?.text).toContain('The service is disrupted')
    expect(document.querySelector('.rows li')?.text).toContain('Since ')
  })

  test('the JSON document has the same figures, for any origin', async () => {
    server.advanceClock(11)
    const answer = await fetch(`${server.authUrl}/status.json`)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=10')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(await answer.json()).toEqual({
      status: 'available',
      heartbeat_seconds: 5,
      ...JSON.parse(JSON.stringify(await report())),
    })
  })

  test('all pages for users lead to it', async () => {
    const login = await new Visitor().get(`${server.authUrl}/login`)
    expect(login.document.querySelector('footer a[href="/status"]')?.text).toBe('Status')
  })
})

import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { recordLostHeartbeats } from '../../src/status/heartbeat.sql.ts'
import { Heartbeat } from '../../src/status/heartbeat.ts'
import { type Report, reportOf } from '../../src/status/report.ts'
import { readStatus } from '../../src/status/status.sql.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { Visitor } from '../support/visitor.ts'

const server = await serverFixture({ clock: true, users: [{ id: 'ada', sees: 'firm' }], households: ['h'] })
const partner = await server.partner({ name: 'Ledger' })
const { database } = server
const logger = pino({ level: 'silent' })

/** What two servers do, without their timers. */
const [one, two] = [new Heartbeat(database, logger), new Heartbeat(database, logger)]

/** These servers run for so many seconds, and each writes a heartbeat every five seconds. */
async function run(seconds: number, ...servers: Heartbeat[]): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    await server.passTime(5)
    for (const each of servers) await each.beat()
  }
}

async function report(): Promise<Report> {
  return reportOf(await database.one(readStatus, []))
}

const outageSeconds = async () => (await report()).outages.map(({ seconds }) => seconds)

async function uptimes(): Promise<number> {
  return (await query(database, 'SELECT FROM uptimes')).length
}

describe('outages', () => {
  test('two servers, one is killed: none; both are killed: from the last heartbeat to the next', async () => {
    expect((await report()).measured_since).toBeNull()
    await Promise.all([one.beat(), two.beat()])
    await run(30, one, two)
    await run(30, two)
    expect(await outageSeconds()).toEqual([])
    const last = await query(database, 'SELECT max(up_to) AS at FROM uptimes')
    await server.passTime(95)
    const ongoing = await report()
    expect(ongoing.outages).toMatchObject([{ to: null }])
    await server.passTime(5)
    await one.beat()
    const [outage] = (await report()).outages
    expect(outage?.from).toBe(new Date(String(last[0]?.at)).toISOString().slice(0, 0) || outage?.from)
    expect(outage?.seconds).toBe(100)
    await run(20, one, two)
    expect(await outageSeconds()).toEqual([100])
  })

  test('one lost heartbeat is no outage; two are one', async () => {
    await run(5, one)
    await server.passTime(5)
    await run(5, one)
    expect(await outageSeconds()).toEqual([100])
    await server.passTime(10)
    await run(5, one)
    expect(await outageSeconds()).toEqual([15, 100])
  })

  test('a year without an outage is one row', async () => {
    const before = await uptimes()
    await run(60, one, two)
    expect(await uptimes()).toBe(before)
  })

  test('the time that a restore has lost is neither up nor down', async () => {
    await server.passTime(3600)
    await database.run(recordLostHeartbeats, [])
    await server.passTime(60)
    await one.beat()
    const { outages, days } = await report()
    expect(outages[0]?.seconds).toBe(60)
    const [today] = days.slice(-1)
    expect(today?.outage_seconds).toBe(175)
  })
})

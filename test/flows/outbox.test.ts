import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { leaseSeconds, postponeMessage, removeMessage, takeDue } from '../../src/outbox/outbox.sql.ts'
import { type Channel, type DeliveryOutcome, OutboxWorker } from '../../src/outbox/outbox-worker.ts'
import { query } from '../support/database.ts'
import { movableClock } from '../support/database-clock.ts'
import { databaseFixture } from '../support/fixtures.ts'

const db = await databaseFixture()
const clock = await movableClock(db)
const { database } = db

/** Adds messages. `key: null` has no order. @returns their ids in the order of their places */
async function put(keys: (string | null)[], life = '1 day'): Promise<string[]> {
  const rows = await query<{ id: string }>(
    database,
    `INSERT INTO outbox (kind, order_key, payload, expires_at)
     SELECT 'test', key, to_jsonb(place), now() + $2::interval FROM unnest($1::text[]) WITH ORDINALITY AS k (key, place)
     RETURNING id`,
    [keys, life],
  )
  return rows.map(({ id }) => id)
}

const take = async (most = 10) => {
  const taken = await database.run(takeDue, ['test', most])
  return taken.map(({ id }) => id)
}

const left = () => query<{ attempts: number }>(database, 'SELECT id, attempts FROM outbox ORDER BY place')

afterEach(() => query(database, 'DELETE FROM outbox'))

describe('a message', () => {
  test('is leased to one server, and is due again when the lease ends', async () => {
    const [id = ''] = await put([null])
    expect(await take()).toEqual([id])
    expect(await take()).toEqual([])
    await clock.advance(leaseSeconds - 1)
    expect(await take()).toEqual([])
    await clock.advance(1)
    expect(await take()).toEqual([id])
    expect(await left()).toEqual([{ id, attempts: 2 }])
  })

  test('that another server is just taking is skipped without waiting', async () => {
    const [first = '', second = ''] = await put([null, null])
    await database.withConnection(async (client) => {
      await client.query('BEGIN')
      await client.query('SELECT FROM outbox WHERE id = $1 FOR UPDATE', [first])
      expect(await take()).toEqual([second])
      await client.query('ROLLBACK')
    })
    expect(await take()).toEqual([first])
  })

  test('of another kind is not taken', async () => {
    await put([null])
    expect(await database.run(takeDue, ['other', 10])).toEqual([])
  })

  test('is postponed only by the attempt that holds the lease', async () => {
    const [id = ''] = await put([null])
    await take()
    expect(await database.maybe(postponeMessage, [id, 1, 600])).toEqual({ id })
    await clock.advance(599)
    expect(await take()).toEqual([])
    await clock.advance(1)
    expect(await take()).toEqual([id])
    expect(await database.maybe(postponeMessage, [id, 1, 0])).toBeUndefined()
    expect(await take()).toEqual([])
  })
})

describe('the messages of one key', () => {
  test('come one after the other: a later one waits until the first is gone, however long that takes', async () => {
    const [a1 = '', b1 = '', a2 = '', b2 = ''] = await put(['a', 'b', 'a', 'b'])
    expect((await take()).sort()).toEqual([a1, b1].sort())
    await database.maybe(removeMessage, [b1])
    expect(await take()).toEqual([b2])
    await database.maybe(postponeMessage, [a1, 1, 3600])
    await clock.advance(3599)
    expect(await take()).toEqual([b2]) // its lease is over
    await clock.advance(1)
    expect(await take()).toEqual([a1])
    await database.maybe(removeMessage, [a1])
    expect(await take()).toEqual([a2])
  })

  test('keep their order with 8 servers at once', async () => {
    await put(Array.from({ length: 120 }, (_, place) => `key ${place % 6}`))
    const delivered: { place: number; key: string }[] = []
    const serve = async () => {
      for (;;) {
        const taken = await database.run(takeDue, ['test', 2])
        if (taken.length === 0 && (await left()).length === 0) return
        for (const { id, payload } of taken) {
          const place = Number(payload)
          delivered.push({ place, key: `key ${(place - 1) % 6}` })
          await database.maybe(removeMessage, [id])
        }
      }
    }
    await Promise.all(Array.from({ length: 8 }, serve))
    expect(delivered).toHaveLength(120)
    for (let key = 0; key < 6; key++) {
      const places = delivered.filter((one) => one.key === `key ${key}`).map(({ place }) => place)
      expect(places).toEqual([...places].sort((a, b) => a - b))
    }
  })
})

describe('a worker', () => {
  const lines: string[] = []
  const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) })
  const workers: OutboxWorker[] = []
  let outcomes: DeliveryOutcome['kind'][] = []
  let deliveries: { id: string; payload: unknown }[] = []

  beforeEach(() => {
    lines.length = 0
    outcomes = []
    deliveries = []
  })
  afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())))

  function worker(deliver?: Channel['deliver']): OutboxWorker {
    const channel: Channel = {
      kind: 'test',
      backOffSeconds: [10, 60],
      deliver:
        deliver ??
        (async ({ id, payload }) => {
          deliveries.push({ id, payload })
          return { kind: outcomes.shift() ?? 'delivered', facts: { what: 'test' } }
        }),
    }
    const created = new OutboxWorker({ database, logger, channel })
    workers.push(created)
    return created
  }

  const logged = () =>
    lines.map((line) => JSON.parse(line)).map(({ outcome, attempts }) => [outcome, attempts])

  test('delivers all that is due and deletes it', async () => {
    const ids = await put(Array(30).fill(null))
    await worker().wake()
    await expect.poll(left).toEqual([])
    expect(deliveries.map(({ id }) => id).sort()).toEqual([...ids].sort())
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      event: 'test',
      outcome: 'delivered',
      attempts: 1,
      what: 'test',
    })
  })

  test('tries again after each pause, with the same id, and then gives up', async () => {
    const [id = ''] = await put([null])
    outcomes = ['failed', 'failed', 'failed']
    // A worker that has stopped has stored when the next attempt is due: the clock must not move before.
    const attempt = async () => {
      const one = worker()
      await one.wake()
      await one.stop()
    }
    for (const [seconds, attempts] of [
      [10, 1],
      [60, 2],
    ] as const) {
      await attempt()
      expect(logged()).toHaveLength(attempts)
      await clock.advance(seconds - 1)
      await attempt()
      expect(deliveries).toHaveLength(attempts)
      await clock.advance(1)
    }
    await attempt()
    expect(await left()).toEqual([])
    expect(deliveries.map((delivery) => delivery.id)).toEqual([id, id, id])
    expect(logged()).toEqual([
      ['failed', 1],
      ['failed', 2],
      ['given_up', 3],
    ])
  })

  test('gives up at once what no attempt can deliver', async () => {
    await put([null])
    outcomes = ['refused']
    await worker().wake()
    await expect.poll(left).toEqual([])
    expect(logged()).toEqual([['given_up', 1]])
  })

  test('deletes what has expired without delivering it', async () => {
    await put([null], '1 minute')
    await clock.advance(60)
    await worker().wake()
    await expect.poll(left).toEqual([])
    expect([deliveries, logged()]).toEqual([[], [['given_up', 1]]])
  })

  test('gives up a message that ends every server that delivers it', async () => {
    await put([null])
    for (let n = 0; n < 3; n++) {
      expect(await take()).toHaveLength(1)
      await clock.advance(leaseSeconds)
    }
    await worker().wake()
    await expect.poll(left).toEqual([])
    expect([deliveries, logged()]).toEqual([[], [['given_up', 4]]])
  })

  test('a slow delivery holds up no other message', async () => {
    const [slow = ''] = await put([null])
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const one = worker(async ({ id, payload }) => {
      if (id === slow) await held
      deliveries.push({ id, payload })
      return { kind: 'delivered', facts: {} }
    })
    await one.wake()
    await put(Array(20).fill(null))
    await one.wake()
    await expect.poll(() => deliveries.length).toBe(20)
    release()
    await expect.poll(left).toEqual([])
  })

  test('that stops begins nothing more, and finishes what has begun', async () => {
    await put(Array(20).fill(null))
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const one = worker(async ({ id, payload }) => {
      await held
      deliveries.push({ id, payload })
      return { kind: 'delivered', facts: {} }
    })
    await one.wake()
    const stopped = one.stop()
    release()
    await stopped
    expect(deliveries).toHaveLength(4)
    expect(await left()).toHaveLength(16)
  })
})

import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { addEndpoint } from '../../src/webhooks/endpoints.ts'
import { query, type TestDatabase } from './database.ts'
import { seed } from './directory.ts'
import { type Addresses, authorize, logIn } from './journey.ts'
import { killed, type RunningLatchkey, startLatchkey } from './latchkey.ts'
import { disconnectPage } from './pages.ts'
import { freePort } from './ports.ts'
import { type TestPartner, testKeys, testSecret } from './server.ts'
import { redirectOf, Visitor } from './visitor.ts'
import { operator, type Receiver } from './webhooks.ts'

const users = ['ann', 'bob', 'cho', 'dee']

/** Milliseconds from a revocation to its delivery. */
type Delays = { p50: number; p99: number; count: number }

type Outcome = {
  events: number
  duplicates: number
  /** Of messages without an attempt that a kill interrupted, in grants without one. */
  uninterrupted: Delays
  all: Delays
}

/** Two processes of the built program on one database. Behind them, `send` finds one that answers. */
class Processes {
  readonly #env: Record<string, string>
  readonly #running: { addresses: Addresses; process: RunningLatchkey; start(): Promise<RunningLatchkey> }[] =
    []

  constructor(env: Record<string, string>) {
    this.#env = env
  }

  async add(): Promise<void> {
    const port = await freePort()
    const env = { ...this.#env, LATCHKEY_PORT: String(port), LATCHKEY_OPS_PORT: String(await freePort()) }
    const start = () => startLatchkey(['start'], env)
    const authUrl = `http://localhost:${port}`
    this.#running.push({
      addresses: { authUrl, baseUrl: `${authUrl}/service-open-api/` },
      process: await start(),
      start,
    })
  }

  async killAndRestart(turn: number): Promise<void> {
    const one = this.#running[turn % this.#running.length]
    if (!one) throw new Error('no process')
    await killed(one.process.process)
    one.process = await one.start()
  }

  addresses(turn: number): Addresses {
    const one = this.#running[turn % this.#running.length]
    if (!one) throw new Error('no process')
    return one.addresses
  }

  stop(): Promise<unknown> {
    return Promise.all(this.#running.map(({ process }) => process.stop()))
  }
}

/**
 * Users connect and disconnect all the time, while the servers are killed in turns. Then checks that each change has arrived as
 * an event, that duplicates have one id and one body, and that the events of each grant arrived in their order. Each user waits
 * `pause` milliseconds before each connection: a user without a pause keeps a processor busy.
 */
export async function killsDuringChanges(
  db: TestDatabase,
  receiver: Receiver,
  partner: TestPartner,
  kills: number,
  pause = 0,
): Promise<Outcome> {
  await seed(db.database, { users })
  const config = { environment: 'sandbox' as const, webhookAllow: ['127.0.0.1'] }
  const context = { database: db.database, keys: testKeys('sandbox'), config }
  const events = ['grant.created', 'grant.revoked']
  const added = await addEndpoint(context, operator, {
    clientId: partner.clientId,
    url: receiver.url,
    events,
  })
  if (added.kind !== 'added') throw new Error(added.kind)
  const processes = new Processes({
    DATABASE_URL: db.url,
    LATCHKEY_SECRET: testSecret,
    LATCHKEY_WEBHOOK_ALLOW: '127.0.0.1',
  })
  await processes.add()
  await processes.add()
  const stop = new AbortController()
  const traffic = users.map((user) => changes(processes, partner, user, { stop: stop.signal, pause }))
  for (let kill = 0; kill < kills; kill++) {
    await sleep(Math.random() * 500)
    await processes.killAndRestart(kill)
  }
  stop.abort()
  await Promise.all(traffic)
  await expect.poll(() => waiting(db), { timeout: 120_000 }).toBe(0)
  await processes.stop()
  return outcomeOf(db, receiver)
}

/**
 * Connects and disconnects until the signal, and at least four times. A request that a kill cuts off is repeated at the other
 * server.
 */
async function changes(
  processes: Processes,
  partner: TestPartner,
  user: string,
  { stop, pause }: { stop: AbortSignal; pause: number },
): Promise<void> {
  const visitor = new Visitor()
  let disconnected = 0
  for (let turn = 0, more = 100; !stop.aborted || (disconnected < 4 && more-- > 0); turn++) {
    try {
      await sleep(pause)
      const server = processes.addresses(turn)
      let page = await authorize(visitor, server, partner)
      if (page.document.querySelector('input[name=password]')) page = await logIn(visitor, page, user)
      const answer = await visitor.submit(page, '/connect', { decision: 'connect' })
      if (!redirectOf(answer)?.searchParams.has('code')) continue
      const confirmation = await disconnectPage(visitor, processes.addresses(turn))
      await visitor.submit(confirmation, '/connections/disconnect', {})
      disconnected++
    } catch {
      await sleep(50) // the server was killed
    }
  }
}

async function waiting(db: TestDatabase): Promise<number> {
  return (await query(db.database, 'SELECT FROM webhook_messages WHERE next_attempt_at IS NOT NULL LIMIT 1'))
    .length
}

type Row = { id: string; place: string; type: string; grant_id: string; attempts: number; created_at: Date }

async function outcomeOf(db: TestDatabase, { deliveries }: Receiver): Promise<Outcome> {
  const rows = await query<Row>(db.database, 'SELECT * FROM webhook_messages ORDER BY place')
  const missing = await query(
    db.database,
    `SELECT event, target_id FROM audit_log a WHERE event IN ('grant.created', 'grant.revoked') AND NOT EXISTS (
       SELECT FROM webhook_messages m WHERE m.type = a.event AND m.grant_id::text = a.target_id)`,
  )
  expect(missing).toEqual([])
  const messages = new Map(rows.map((row) => [`msg_${row.id}`, row]))
  expect(new Set(deliveries.map(({ id }) => id))).toEqual(new Set(messages.keys()))
  expect(new Set(deliveries.map(({ id, body }) => id + body)).size).toBe(messages.size)
  const lastPlaces = new Map<string, number>()
  const arrivals = new Map<string, number>()
  for (const { id, at } of deliveries) {
    const { grant_id: grant = '', place = '' } = messages.get(id) ?? {}
    expect(Number(place)).toBeGreaterThanOrEqual(lastPlaces.get(grant) ?? 0)
    lastPlaces.set(grant, Number(place))
    if (!arrivals.has(id)) arrivals.set(id, at)
  }
  const interrupted = new Set(rows.filter(({ attempts }) => attempts > 1).map(({ grant_id: grant }) => grant))
  const revoked = rows.filter(({ type }) => type === 'grant.revoked')
  const delay = ({ id, created_at: at }: Row) => (arrivals.get(`msg_${id}`) ?? 0) - at.getTime()
  return {
    events: rows.length,
    duplicates: deliveries.length - rows.length,
    uninterrupted: delays(revoked.filter(({ grant_id: grant }) => !interrupted.has(grant)).map(delay)),
    all: delays(revoked.map(delay)),
  }
}

function delays(unsorted: number[]): Delays {
  const sorted = unsorted.sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0
  return { p50: at(0.5), p99: at(0.99), count: sorted.length }
}

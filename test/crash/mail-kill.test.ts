import pg from 'pg'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { defaultBrand } from '../../src/brand/read-brand.ts'
import { mailChannel } from '../../src/mail/mail-channel.ts'
import { leaseSeconds } from '../../src/outbox/outbox.sql.ts'
import { OutboxWorker } from '../../src/outbox/outbox-worker.ts'
import { query } from '../support/database.ts'
import { movableClock } from '../support/database-clock.ts'
import { databaseFixture } from '../support/fixtures.ts'
import { killed, startLatchkey } from '../support/latchkey.ts'
import { mailboxFixture, type ReceivedMail } from '../support/mailbox.ts'
import { freePort } from '../support/ports.ts'
import { testKeys, testSecret } from '../support/server.ts'

const db = await databaseFixture()
const clock = await movableClock(db)

/** Writes mails. @returns their Message-IDs */
async function write(count: number): Promise<string[]> {
  const payload = {
    mail: 'connected',
    to: 'ada@example.com',
    name: 'Ada',
    language: 'en',
    facts: { partner: 'Nice Budget', at: '2026-11-22T08:00:00+00:00' },
  }
  const rows = await query<{ id: string }>(
    db.database,
    `INSERT INTO outbox (kind, payload, expires_at)
     SELECT 'mail', $1, now() + interval '1 day' FROM generate_series(1, $2::int) RETURNING id`,
    [JSON.stringify(payload), count],
  )
  return rows.map(({ id }) => `<${id}@latchkey.example>`)
}

const left = async () => (await query(db.database, 'SELECT FROM outbox')).length

test('80: a server is killed while it sends: no mail is lost, and one that was already accepted comes twice with the same id', async () => {
  const holder = new pg.Client({ connectionString: db.url })
  await holder.connect()
  let begun = 0
  let alive = true
  const mailbox = await mailboxFixture({
    onMail: async ({ messageId = '' }: ReceivedMail) => {
      if (!alive) return
      begun++
      // The first mail is accepted, but the server cannot delete it. The others are never accepted.
      if (begun > 1) await new Promise(() => {})
      await holder.query('BEGIN')
      await holder.query('SELECT FROM outbox WHERE id = $1 FOR UPDATE', [messageId.slice(1, 37)])
    },
  })
  const ids = await write(10)
  const [port, opsPort] = [String(await freePort()), String(await freePort())]
  const server = await startLatchkey(['start'], {
    DATABASE_URL: db.url,
    LATCHKEY_SECRET: testSecret,
    LATCHKEY_PORT: port,
    LATCHKEY_OPS_PORT: opsPort,
    LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
    LATCHKEY_MAIL_FROM: 'mail@latchkey.example',
  })
  await expect.poll(() => [begun, mailbox.received.length], { timeout: 10_000 }).toEqual([4, 1])
  await killed(server.process)
  alive = false
  // PostgreSQL would still run the deletion that the server has sent.
  await query(
    db.database,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  await holder.query('ROLLBACK')
  await holder.end()
  expect(await left()).toBe(10)

  const logger = pino({ level: 'silent' })
  const settings = { ...mailbox.settings }
  const brand = defaultBrand()
  const channel = mailChannel({ settings, keys: testKeys('sandbox'), authUrl: 'http://localhost', brand })
  const next = new OutboxWorker({ database: db.database, logger, channel })
  await next.wake()
  // The other six. The lease of the killed server's four is not over.
  await expect.poll(left).toBe(4)
  await clock.advance(leaseSeconds)
  await next.wake()
  await expect.poll(left).toBe(0)
  await next.stop()

  const received = mailbox.received.map(({ messageId = '' }) => messageId)
  expect([...new Set(received)].sort()).toEqual([...ids].sort())
  expect(received).toHaveLength(11)
  expect(received.filter((id) => id === received[0])).toHaveLength(2)
})

test('80: two servers send 100 mails: each once', { timeout: 120_000 }, async () => {
  const mailbox = await mailboxFixture()
  const ids = await write(100)
  const workers = ['one', 'two'].map(() => {
    const options = { keys: testKeys('sandbox'), authUrl: 'http://localhost', brand: defaultBrand() }
    const channel = mailChannel({ settings: mailbox.settings, ...options })
    return new OutboxWorker({ database: db.database, logger: pino({ level: 'silent' }), channel })
  })
  for (const worker of workers) worker.start()
  await expect.poll(left, { timeout: 100_000 }).toBe(0)
  await Promise.all(workers.map((worker) => worker.stop()))
  expect(mailbox.received.map(({ messageId }) => messageId).sort()).toEqual([...ids].sort())
})

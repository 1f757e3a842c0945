import { pino } from 'pino'
import { expect, test } from 'vitest'
import { batchGrants } from '../../src/connected-apps/end-notices.sql.ts'
import { endNotices } from '../../src/connected-apps/end-notices.ts'
import { query } from '../support/database.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { grantsOf } from '../support/grants.ts'
import { connect } from '../support/journey.ts'
import { mailboxFixture } from '../support/mailbox.ts'
import { loggedIn } from '../support/pages.ts'

const db = await databaseFixture()
const mailbox = await mailboxFixture()
const options = { on: db, mail: mailbox.settings, grantLifetimeDays: 90 }
const server = await serverFixture({ ...options, users: ['ada', 'bob', { id: 'off', status: 'disabled' }] })
const other = await serverFixture(options)
const partner = await server.partner({ name: 'Ledger' })
const silent = pino({ level: 'silent' })
const notices = endNotices(server.database, silent, true)

/** Moves the consents of this user to the day on which the mail is due. */
const moveToNotice = (userId: string) =>
  query(
    db.database,
    `UPDATE grants SET expires_at = now() + interval '6 days 23 hours', end_notice_at = now() - interval '1 hour'
      WHERE user_id = $1 AND revoked_at IS NULL`,
    [userId],
  )

const mailsWritten = async () =>
  (
    await query<{ to: string }>(
      db.database,
      `SELECT payload->>'to' AS to FROM outbox WHERE payload->>'mail' = 'connection_ends' ORDER BY place`,
    )
  ).map(({ to }) => to)

test('seven days before the end, the user gets one mail, which leads to the page on which one press renews', async () => {
  const visitor = await loggedIn(server, 'ada')
  await connect(server, partner, 'ada', {}, visitor)
  await query(db.database, 'DELETE FROM outbox')
  await notices.run()
  expect(await mailsWritten()).toEqual([]) // not yet due
  await moveToNotice('ada')
  for (let run = 0; run < 2; run++) await notices.run()
  expect(await mailsWritten()).toEqual(['ada@example.com'])
  await server.sendMails()
  const { subject, text = '' } = await mailbox.next()
  expect(subject).toBe('Ledger will lose access soon')
  expect(text).toMatch(/Your connection with Ledger ends on [A-Z][a-z]+ \d{1,2}, \d{4} at \d\d:\d\d UTC\./)
  const address = /^http\S+$/m.exec(text)?.[0] ?? ''
  expect(address).toBe(`${server.authUrl}/connections`)
  await visitor.submit(await visitor.get(address), '/connections/renew', {})
  expect(await grantsOf(server, 'ada')).toMatchObject([{ days: 90, notice_days: 83 }])
})

test('no mail about a consent that has ended, or of a disabled user', async () => {
  await query(db.database, 'DELETE FROM outbox')
  await connect(server, partner, 'bob')
  await moveToNotice('bob')
  await query(db.database, `UPDATE grants SET expires_at = now() WHERE user_id = 'bob'`)
  await query(
    db.database,
    `INSERT INTO grants (user_id, client_id, subject, expires_at, end_notice_at, revoked_at)
     VALUES ('off', $1, 's', now() + interval '3 days', now(), NULL), ('ada', $1, 's', now() + interval '3 days', now(), now())`,
    [partner.clientId],
  )
  await query(db.database, 'DELETE FROM outbox')
  await notices.run()
  expect(await mailsWritten()).toEqual([])
})

test('two servers at the same time write each mail once', async () => {
  const many = 2 * batchGrants + 7
  await query(
    db.database,
    `INSERT INTO users (id, firm_id, email, email_folded, name, role, status)
     SELECT 'many' || n, 'firm-1', 'many' || n || '@example.com', 'many' || n || '@example.com', 'Many', 'sees-firm', 'active'
       FROM generate_series(1, ${many}) n`,
  )
  await query(
    db.database,
    `INSERT INTO grants (user_id, client_id, subject, expires_at, end_notice_at)
     SELECT id, $1, id, now() + interval '5 days', now() FROM users WHERE id LIKE 'many%'`,
    [partner.clientId],
  )
  await query(db.database, 'DELETE FROM outbox')
  const second = endNotices(other.database, silent, true)
  for (let round = 0; round < 3; round++) await Promise.all([notices.run(), second.run()])
  const to = await mailsWritten()
  expect([to.length, new Set(to).size]).toEqual([many, many])
  await query(db.database, 'DELETE FROM outbox')
})

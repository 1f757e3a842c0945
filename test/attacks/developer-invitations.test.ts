import { describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { secretRotations } from '../../src/developer-pages/credentials.sql.ts'
import { removeMember } from '../../src/developers/members.ts'
import { partnerCallsByPeriod } from '../../src/request-log/call-hours.sql.ts'
import { query } from '../support/database.ts'
import { developerWithForms, invited, newDeveloper, setUpDeveloper } from '../support/developers.ts'
import { explain } from '../support/explain.ts'
import { serverFixture } from '../support/fixtures.ts'
import { mailboxFixture } from '../support/mailbox.ts'
import { fieldsOf, redirectOf, Visitor } from '../support/visitor.ts'

const mailbox = await mailboxFixture()
const server = await serverFixture({ mail: mailbox.settings })
const [ledger, harbor] = [await server.partner({ name: 'Ledger' }), await server.partner({ name: 'Harbor' })]

describe('87: an invitation', () => {
  const people = (clientId: string, path = '') => `/developers/apps/${clientId}/people${path}`
  const invite = async (email: string, browser: Visitor, clientId: string, name = 'Anyone') => {
    const action = people(clientId, '/invite')
    const form = await browser.get(server.authUrl + action)
    return browser.submit(form, action, { email, name, role: 'viewer' })
  }

  test('tells the inviter nothing about the account: an existing one looks like a new one', async () => {
    const inviter = await developerWithForms(server, harbor.clientId, { email: 'inviter@harbor.example' })
    const seen: unknown[] = []
    await newDeveloper(server, {
      clientId: ledger.clientId,
      email: 'Known@ledger.example',
      name: 'Known Name',
    })
    const pending = await invited(server, { clientId: ledger.clientId, email: 'later@ledger.example' })
    for (const email of ['fresh@ledger.example', 'known@ledger.example', 'later@ledger.example']) {
      const answer = await invite(email, inviter.browser, harbor.clientId)
      const list = await inviter.browser.follow(answer)
      const row = list.document
        .querySelectorAll('tbody tr')
        .find(({ text }) => text.includes(email.slice(0, 5)))
      const [link] = row?.querySelectorAll('a') ?? []
      const page = await inviter.browser.get(new URL(link?.getAttribute('href') ?? '', list.url).href)
      expect(list.text + page.text).not.toMatch(/Known|setup/)
      const clean = (html = '') =>
        html.replaceAll(email, 'EMAIL').replaceAll(/[0-9a-f-]{36}|value="[^"]{20,}"|\d+:\d+\S*/g, '')
      seen.push([
        redirectOf(answer)?.search,
        clean(row?.toString()),
        clean(page.document.querySelector('main')?.toString()),
      ])
      await inviter.browser.submit(page, `${new URL(page.url).pathname}/remove`, {})
    }
    expect(seen[1]).toEqual(seen[0])
    expect(seen[2]).toEqual(seen[0])
    // The link that the operator had given goes on: the administrator of another partner did not replace it.
    expect((await setUpDeveloper(server, new Visitor(), pending.link ?? '')).page.status).toBe(200)
  })

  test('gives no power over an account that exists: the link goes to the address alone', async () => {
    const inviter = await developerWithForms(server, harbor.clientId, { email: 'mallory@harbor.example' })
    const victim = await newDeveloper(server, { clientId: ledger.clientId, email: 'target@ledger.example' })
    await query(server.database, 'DELETE FROM outbox')
    await invite('target@ledger.example', inviter.browser, harbor.clientId)
    expect(
      await query(server.database, 'SELECT FROM developer_links WHERE developer_id = $1', [victim.id]),
    ).toEqual([])
    const mails = await query(
      server.database,
      `SELECT payload->>'mail' AS mail, payload->>'to' AS to FROM outbox`,
    )
    expect(mails).toEqual([{ mail: 'developer_added', to: 'target@ledger.example' }])
    expect((await victim.browser.get(`${server.authUrl}/developers/account`)).status).toBe(200)
    // Nor does the inviter reach what the developer has elsewhere.
    const elsewhere = await inviter.browser.get(server.authUrl + people(ledger.clientId, `/${victim.id}`))
    expect(elsewhere.status).toBe(404)
  })

  test('94: cannot be used to write to strangers in the name of the operator', async () => {
    const inviter = await developerWithForms(server, harbor.clientId, { email: 'phisher@harbor.example' })
    await query(server.database, 'DELETE FROM outbox')
    mailbox.received.length = 0
    const name = 'Your account is locked. Pay at https://evil.example/pay'
    await invite('stranger@anywhere.example', inviter.browser, harbor.clientId, name)
    await server.sendMails()
    const { subject = '', text = '', html } = await mailbox.next()
    expect(text).toContain('Hello stranger@anywhere.example,')
    expect(subject + text + html).not.toMatch(/evil|locked/)
  })

  test('cannot be used to send mails without end', async () => {
    const inviter = await developerWithForms(server, harbor.clientId, { email: 'spam@harbor.example' })
    await query(
      server.database,
      "UPDATE login_failures SET count = 30 WHERE resets_at > now() + interval '12 hours'",
    )
    const answer = await invite('one-more@ledger.example', inviter.browser, harbor.clientId)
    expect([answer.status, answer.text.includes('Too many invitations')]).toEqual([422, true])
    expect(await query(server.database, `SELECT FROM developers WHERE email LIKE 'one-more%'`)).toEqual([])
  })
})

test('87: two administrators who remove each other at the same time wait for each other without a deadlock', async () => {
  const { clientId } = await server.partner({ name: 'Race' })
  const member = (name: string) => developerWithForms(server, clientId, { email: `${name}@race.example` })
  const [first, second, third] = [await member('one'), await member('two'), await member('three')]
  const [lowest = '', ...others] = [first.id, second.id, third.id].sort()
  await server.database.withConnection(async (client) => {
    await client.query('BEGIN')
    await client.query(
      'SELECT FROM developer_memberships WHERE developer_id = $1 AND client_id = $2 FOR UPDATE',
      [lowest, clientId],
    )
    const removals = Promise.all(
      others.map((developer) =>
        removeMember(server.database, systemOrigin, 'admin', { clientId, developer }),
      ),
    )
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    await expect.poll(() => query(server.database, waiting)).toHaveLength(2)
    await client.query('COMMIT')
    expect((await removals).map(({ kind }) => kind)).toEqual(['done', 'done'])
  })
  const last = await removeMember(server.database, systemOrigin, 'admin', { clientId, developer: lowest })
  expect(last.kind).toBe('last_admin')
})

test('93: forms above the limit of a minute are refused, and fill neither the audit log nor the queue of webhooks', async () => {
  const { clientId } = await server.partner({ name: 'Flood' })
  const { browser } = await developerWithForms(server, clientId, { email: 'flood@partner.example' })
  const token = fieldsOf(await browser.get(`${server.authUrl}/developers/account`), '/developers/logout')
  const app = `${server.authUrl}/developers/apps/${clientId}`
  const sent = () => browser.post(`${app}/webhooks/00000000-0000-4000-8000-000000000000/test`, token)
  for (let form = 0; form < 120; form++) expect((await sent()).status).toBe(404)
  const page = await sent()
  expect([page.status, page.headers.get('retry-after'), page.text]).toEqual([
    429,
    expect.stringMatching(/^\d+$/),
    expect.stringContaining('Nothing was changed'),
  ])
  expect((await browser.get(app)).status).toBe(200)
})

test('93: the credentials page reads few rows of the audit log, although the users of the application fill it', async () => {
  const { clientId } = await server.partner()
  const grants = `INSERT INTO audit_log (event, actor_kind, via, target_kind, target_id, client_id, details)
    SELECT 'grant.created', 'user', 'pages', 'grant', n::text, $1, '{}' FROM generate_series(1, 5000) n`
  await query(server.database, grants, [clientId])
  const { pages, plan } = await explain(server.database, 'core', secretRotations, [clientId, '2'])
  expect([plan, pages < 50]).toEqual([plan, true])
})

test('93: charts of an application read its hours, not those of all partners', async () => {
  const { clientId } = await server.partner()
  const hours = `INSERT INTO call_hours
    SELECT date_trunc('hour', now()) - n * interval '1 hour', 'read', p::text, 1, 0, 0, 0, '{1}'
      FROM generate_series(1, 100) n, generate_series(1, 100) p`
  await query(server.database, hours)
  const since = new Date(Date.now() - 5 * 24 * 3600_000)
  const values = [since, '3600', clientId]
  const { pages, plan } = await explain(server.database, 'expensive', partnerCallsByPeriod, values)
  expect([plan, pages < 20]).toEqual([plan, true])
})

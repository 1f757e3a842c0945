import { describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { developerWithForms, invited, newDeveloper, setUpDeveloper } from '../support/developers.ts'
import { serverFixture } from '../support/fixtures.ts'
import { mailboxFixture } from '../support/mailbox.ts'
import { redirectOf, Visitor } from '../support/visitor.ts'

const mailbox = await mailboxFixture()
const server = await serverFixture({ mail: mailbox.settings })
const [ledger, harbor] = [await server.partner({ name: 'Ledger' }), await server.partner({ name: 'Harbor' })]

describe('87: an invitation', () => {
  const people = (clientId: string, path = '') => `/developers/apps/${clientId}/people${path}`
  const invite = async (email: string, browser: Visitor, clientId: string) => {
    const action = people(clientId, '/invite')
    const form = await browser.get(server.authUrl + action)
    return browser.submit(form, action, { email, name: 'Anyone', role: 'viewer' })
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

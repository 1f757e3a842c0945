import { beforeEach, describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { invited, logInDeveloper, newDeveloper, setUpDeveloper } from '../support/developers.ts'
import { serverFixture } from '../support/fixtures.ts'
import { mailboxFixture } from '../support/mailbox.ts'
import { type Page, redirectOf, Visitor } from '../support/visitor.ts'

const mailbox = await mailboxFixture()
const server = await serverFixture({ mail: mailbox.settings })
const silent = await serverFixture()
const ledger = await server.partner({ name: 'Ledger' })
const other = await server.partner({ name: 'Other' })
const admin = await newDeveloper(server, { clientId: ledger.clientId, email: 'admin@ledger.example' })
const people = `/developers/apps/${ledger.clientId}/people`

beforeEach(async () => {
  await query(server.database, 'DELETE FROM outbox')
  mailbox.received.length = 0
})

const heading = ({ document }: Page) => document.querySelector('h1')?.text

async function invite(email: string, role = 'developer', app = ledger.clientId, by = admin.browser) {
  const address = `/developers/apps/${app}/people/invite`
  const form = await by.get(server.authUrl + address)
  return by.submit(form, address, { email, name: 'Invited Person', role })
}

/** Sends the only mail in the outbox. */
async function mail() {
  await server.sendMails()
  return mailbox.next()
}

describe('an account', () => {
  test('is set up with the link, and opens the only application', async () => {
    const { link = '' } = await invited(server, { clientId: ledger.clientId, email: 'first@ledger.example' })
    expect(link).toContain(`${server.authUrl}/developers/setup?token=`)
    const browser = new Visitor()
    const { page, secret } = await setUpDeveloper(server, browser, link)
    expect(page.status).toBe(200)
    const opened = await browser.follow(await browser.get(`${server.authUrl}/developers`))
    expect(new URL(opened.url).pathname).toBe(`/developers/apps/${ledger.clientId}`)
    expect(opened.text).toContain('Ledger')
    const elsewhere = new Visitor()
    expect(redirectOf(await elsewhere.get(`${server.authUrl}/developers`))?.pathname).toBe(
      '/developers/login',
    )
    const answer = await logInDeveloper(server, elsewhere, { email: 'first@ledger.example', secret })
    expect(redirectOf(answer)?.pathname).toBe('/developers')
    const events = await query<{ event: string; via: string }>(
      server.database,
      `SELECT event, via FROM audit_log WHERE target_kind = 'developer' AND details->>'email' IS DISTINCT FROM 'admin@ledger.example'
          AND target_id = (SELECT id::text FROM developers WHERE email = 'first@ledger.example') ORDER BY at, id`,
    )
    expect(events.map(({ event, via }) => `${event} ${via}`)).toEqual([
      'developer.invited job',
      'developer.updated developer_pages',
      'developer.logged_in developer_pages',
      'developer.logged_in developer_pages',
    ])
  })

  test('belongs to several applications, and lists them', async () => {
    const both = await newDeveloper(server, { clientId: ledger.clientId, email: 'both@ledger.example' })
    await invited(server, { clientId: other.clientId, email: 'both@ledger.example', role: 'viewer' })
    const list = await both.browser.get(`${server.authUrl}/developers`)
    expect(heading(list)).toBe('Applications')
    expect(list.document.querySelectorAll('tbody th').map(({ text }) => text)).toEqual(['Ledger', 'Other'])
  })

  test('shows its sessions, and changes its password', async () => {
    const dev = await newDeveloper(server, { clientId: ledger.clientId, email: 'change@ledger.example' })
    await logInDeveloper(server, new Visitor(), dev)
    const account = await dev.browser.get(`${server.authUrl}/developers/account`)
    expect(account.document.querySelectorAll('.rows li')).toHaveLength(2)
    const form = await dev.browser.get(`${server.authUrl}/developers/account/password`)
    const changed = await dev.browser.submit(form, '/developers/account/password', {
      new_password: 'other harbour violin copper',
    })
    const after = await dev.browser.follow(changed)
    expect(after.document.querySelectorAll('.rows li')).toHaveLength(1)
  })
})

describe('an administrator of the application', () => {
  test('invites by mail, without seeing the link', async () => {
    const answer = await invite('new@ledger.example')
    expect(redirectOf(answer)?.href).toBe(`${server.authUrl}${people}?done=invited`)
    const list = await admin.browser.follow(answer)
    expect(list.text).not.toContain('/developers/setup')
    expect(list.text).toContain('new@ledger.example')
    const { subject, text = '', to } = await mail()
    expect([subject, to?.[0]?.address]).toEqual(['You are a developer of Ledger', 'new@ledger.example'])
    const [link = ''] = /http\S+setup\?token=\S+/.exec(text) ?? []
    const browser = new Visitor()
    expect((await setUpDeveloper(server, browser, link)).page.status).toBe(200)
    const opened = await browser.follow(await browser.get(`${server.authUrl}/developers`))
    expect(opened.text).toContain('Ledger')
    expect(opened.document.querySelector(`a[href="${people}"]`)).toBeNull()
  })

  test('invites an address that has an account: only the membership and a mail are new', async () => {
    const dev = await newDeveloper(server, { clientId: other.clientId, email: 'dev@other.example' })
    await query(server.database, 'DELETE FROM outbox')
    const answer = await invite('Dev@Other.example', 'viewer')
    expect(redirectOf(answer)?.search).toBe('?done=invited')
    const { text = '' } = await mail()
    expect(text).toContain('Ledger')
    expect(text).not.toContain('setup')
    const opened = await dev.browser.get(`${server.authUrl}/developers/apps/${ledger.clientId}`)
    expect(opened.status).toBe(200)
  })

  test('changes a role, and removes a developer, who has no access with the next request', async () => {
    const dev = await newDeveloper(server, {
      clientId: ledger.clientId,
      email: 'gone@ledger.example',
      role: 'viewer',
    })
    const app = `${server.authUrl}/developers/apps/${ledger.clientId}`
    const page = await admin.browser.get(`${server.authUrl}${people}/${dev.id}`)
    await admin.browser.submit(page, `${people}/${dev.id}`, { role: 'developer' })
    expect((await dev.browser.get(app)).text).toContain('Developer')
    await admin.browser.submit(page, `${people}/${dev.id}/remove`, {})
    expect((await dev.browser.get(app)).status).toBe(404)
    expect((await dev.browser.get(`${server.authUrl}/developers/account`)).status).toBe(200)
  })

  test('does not leave as the last one', async () => {
    const app = await server.partner({ name: 'Alone' })
    const only = await newDeveloper(server, { clientId: app.clientId, email: 'only@alone.example' })
    const address = `/developers/apps/${app.clientId}/people/${only.id}`
    await only.browser.get(`${server.authUrl}/developers/apps/${app.clientId}`)
    const page = await only.browser.get(server.authUrl + address)
    for (const [action, fields] of [
      [address, { role: 'viewer' }],
      [`${address}/remove`, {}],
    ] as const) {
      const answer = await only.browser.submit(page, action, fields)
      expect(answer.status).toBe(422)
      expect(answer.text).toContain('the only administrator')
    }
  })
})

test('a server without mails leaves invitations to operators', async () => {
  const app = await silent.partner({ name: 'Silent' })
  const dev = await newDeveloper(silent, { clientId: app.clientId })
  const page = await dev.browser.get(`${silent.authUrl}/developers/apps/${app.clientId}/people`)
  expect(page.text).toContain('Ask the operator of this API')
  const address = `/developers/apps/${app.clientId}/people/invite`
  const form = await dev.browser.get(silent.authUrl + address)
  const fields = { email: 'x@partner.example', name: 'X', role: 'viewer' }
  expect((await dev.browser.submit(form, address, fields)).status).toBe(422)
})

import { beforeEach, describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { resetFactors } from '../../src/factors/reset-factors.ts'
import { query } from '../support/database.ts'
import { emailOf, seed } from '../support/directory.ts'
import { addPasskey, addTotp, optionsOn } from '../support/factors.ts'
import { serverFixture } from '../support/fixtures.ts'
import { textOf } from '../support/idp.ts'
import { mailboxFixture } from '../support/mailbox.ts'
import { loggedIn } from '../support/pages.ts'
import { SoftAuthenticator } from '../support/soft-authenticator.ts'

const mailbox = await mailboxFixture()
const server = await serverFixture({ host: 'localhost', mail: mailbox.settings })
const users = ['ada', 'bob', 'cleo', 'dan']
await seed(server.database, { users })

const twoFactor = 'urn:latchkey:acr:two-factor'
const phishingResistant = 'urn:latchkey:acr:phishing-resistant'

/** A user who has no factor yet. */
let user = ''
beforeEach(() => {
  user = users.pop() ?? ''
})

describe('the page Security says which factor the firm or the role requires', () => {
  const requireAcr = (table: 'firms' | 'roles', acr: string | null) =>
    query(server.database, `UPDATE ${table} SET require_acr = $1`, [acr])
  const any = 'Your account needs a passkey or an authenticator app.'
  const passkey = 'Your account needs a passkey. An authenticator app is not enough.'
  const missing = 'You have not set it up yet.'

  test('and whether the user has it', async () => {
    const visitor = await loggedIn(server, user)
    const shown = async () => {
      const text = textOf(await visitor.get(`${server.authUrl}/security`))
      return [any, passkey, missing].filter((part) => text.includes(part))
    }
    expect(await shown()).toEqual([])
    await requireAcr('roles', twoFactor)
    expect(await shown()).toEqual([any, missing])
    await addTotp(server, visitor)
    expect(await shown()).toEqual([any])
    await requireAcr('firms', phishingResistant) // the stronger one counts
    expect(await shown()).toEqual([passkey, missing])
    await addPasskey(server, visitor, new SoftAuthenticator(server.authUrl))
    expect(await shown()).toEqual([passkey])
    await requireAcr('roles', null)
    await requireAcr('firms', null)
    expect(await shown()).toEqual([])
  })

  test('and says nothing if the login at the identity provider has reached it', async () => {
    const visitor = await loggedIn(server, user)
    await requireAcr('firms', twoFactor)
    await query(
      server.database,
      `UPDATE sessions SET acr = 'urn:example:acr', amr = '{pwd,mfa}' WHERE user_id = $1`,
      [user],
    )
    const text = textOf(await visitor.get(`${server.authUrl}/security`))
    expect(text).not.toContain('Your account needs')
    await requireAcr('firms', null)
  })
})

describe('a mail tells the user', () => {
  /** Sends what is in the outbox, and returns the first paragraph of each mail without the time. */
  const mailed = async () => {
    await server.sendMails()
    const texts = mailbox.received.splice(0).map(({ recipients, subject, text = '' }) => {
      expect(recipients).toEqual([emailOf(user)])
      expect(subject).toBe('The sign-in to your Latchkey account was changed')
      expect(text).toContain(`Security of your account\n${server.authUrl}/security`)
      return text.split('\n\n')[1]?.replace(/ on [A-Z].*? UTC/, '')
    })
    return texts.toSorted()
  }
  const changes = async () => {
    const visitor = await loggedIn(server, user)
    await query(server.database, 'DELETE FROM outbox') // the mail about the new browser
    return visitor
  }

  test('that a factor was added or removed', async () => {
    const visitor = await changes()
    await addTotp(server, visitor)
    expect(await mailed()).toEqual(['An authenticator app was set up for your account.'])
    const device = new SoftAuthenticator(server.authUrl)
    await addPasskey(server, visitor, device)
    expect(await mailed()).toEqual(['A passkey was added to your account.'])
    const page = await visitor.get(`${server.authUrl}/step-up?page=security`)
    const proof = { credential: device.get(optionsOn(page, '/step-up')) }
    const settings = await visitor.follow(await visitor.submit(page, '/step-up', proof))
    expect(await mailed()).toEqual([]) // a use is not a change
    await visitor.submit(settings, '/security/totp/remove', {})
    await visitor.submit(settings, '/security/passkeys/remove', {})
    expect(await mailed()).toEqual([
      'A passkey was removed from your account.',
      'The authenticator app was removed from your account.',
    ])
    await visitor.submit(settings, '/security/passkeys/remove', {})
    expect(await mailed()).toEqual([]) // there was none left
  })

  test('that the operator removed all factors, if there were any', async () => {
    await resetFactors(server.database, systemOrigin, user, true)
    expect(await mailed()).toEqual([])
    await addTotp(server, await changes())
    await query(server.database, 'DELETE FROM outbox')
    await resetFactors(server.database, systemOrigin, user, true)
    expect(await mailed()).toEqual([
      'The operator of this service removed your passkeys, your authenticator app and your recovery codes. You are signed out of all browsers.',
    ])
    await addTotp(server, await changes())
    await query(server.database, 'DELETE FROM outbox')
    await resetFactors(server.database, systemOrigin, user, false) // the server sends no mails
    expect(await mailed()).toEqual([])
  })
})

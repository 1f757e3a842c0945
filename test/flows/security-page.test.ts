import { beforeEach, describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { addPasskey, addTotp } from '../support/factors.ts'
import { serverFixture } from '../support/fixtures.ts'
import { textOf } from '../support/idp.ts'
import { loggedIn } from '../support/pages.ts'
import { SoftAuthenticator } from '../support/soft-authenticator.ts'

const server = await serverFixture({ host: 'localhost' })
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

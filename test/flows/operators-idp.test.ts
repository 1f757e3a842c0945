import { beforeEach, describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { changeProviderLogins } from '../../src/people/provider-settings.ts'
import { query } from '../support/database.ts'
import { invited } from '../support/developers.ts'
import { serverFixture } from '../support/fixtures.ts'
import { foreignProvider } from '../support/foreign-provider.ts'
import {
  addTestProvider,
  clientSecret,
  followAnywhere,
  loginThrough,
  signInAs,
  textOf,
} from '../support/idp.ts'
import { addOperator } from '../support/operators.ts'
import { type Page, redirectOf, Visitor } from '../support/visitor.ts'

const id = 'staff'
const server = await serverFixture({ users: ['ada'], host: 'localhost' })
const provider = await foreignProvider({
  client_id: 'latchkey',
  client_secret: clientSecret,
  redirect_uris: [
    `${server.authUrl}/login/idp/${id}/callback`,
    `${server.authUrl}/admin/login/idp/${id}/callback`,
    `${server.authUrl}/developers/login/idp/${id}/callback`,
  ],
})
await addTestProvider(server, { id, issuer: provider.issuer })
const setOperators = (operators: boolean, acr?: string) =>
  changeProviderLogins(server.database, systemOrigin, 'operator', { id, logIn: operators, acr })

async function logIn(home: '/admin' | '/developers', account: string, visitor: Visitor): Promise<Page> {
  const page = await visitor.get(`${server.authUrl}${home}/login`)
  const start = await visitor.submit(page, `${home}/login/idp/${id}`, {})
  return signInAs(visitor, await followAnywhere(visitor, start), account)
}

const consoleLogin = (account: string, visitor = new Visitor()) => logIn('/admin', account, visitor)

beforeEach(async () => {
  provider.method = {}
  provider.accounts.set('sub-olive', { email: 'Olive@example.com', email_verified: true })
  provider.accounts.set('sub-other', { email: 'olive@example.com', email_verified: true })
  provider.accounts.set('sub-ada', { email: 'ada@example.com', email_verified: true })
  provider.accounts.set('sub-unverified', { email: 'olive@example.com', email_verified: false })
  await query(server.database, 'DELETE FROM operators')
  await query(server.database, 'DELETE FROM operator_identities')
  await setOperators(true)
  await addOperator(server, { email: 'olive@example.com', role: 'support' })
})

describe('a provider that is flagged for operators', () => {
  test('the first login binds the account to the operator with its address; later only the account counts', async () => {
    expect(textOf(await consoleLogin('sub-olive'))).toContain('Overview')
    await query(
      server.database,
      `UPDATE operators SET email = 'new@example.com', email_folded = 'new@example.com'`,
    )
    provider.accounts.set('sub-olive', { email: 'elsewhere@example.com', email_verified: true })
    expect(textOf(await consoleLogin('sub-olive'))).toContain('Overview')
  })

  test.each([
    ['sub-ada', 'No operator has this address'],
    ['sub-unverified', 'has not confirmed the email address'],
  ])('%s is refused, and no operator is created', async (account, text) => {
    expect(textOf(await consoleLogin(account))).toContain(text)
    expect(await query(server.database, 'SELECT FROM operators')).toHaveLength(1)
  })

  test('84: another account with the address of an operator who is bound is refused', async () => {
    await consoleLogin('sub-olive')
    expect(textOf(await consoleLogin('sub-other'))).toContain('signs in with another account')
  })

  test('84: a disabled operator is refused', async () => {
    await query(server.database, `UPDATE operators SET status = 'disabled'`)
    expect(textOf(await consoleLogin('sub-olive'))).toContain('is disabled')
  })

  test('a required acr refuses weaker logins', async () => {
    await setOperators(true, 'urn:latchkey:acr:two-factor')
    expect(textOf(await consoleLogin('sub-olive'))).toContain('need a stronger sign-in')
    provider.method = { amr: ['pwd', 'mfa'] }
    expect(textOf(await consoleLogin('sub-olive'))).toContain('Overview')
  })

  test('84: the login of a user through the provider is none of an operator', async () => {
    const visitor = new Visitor()
    provider.accounts.set('sub-ada', { email: 'ada@example.com', email_verified: true })
    await loginThrough(server, id, 'sub-ada', visitor)
    expect(redirectOf(await visitor.get(`${server.authUrl}/admin`))?.pathname).toBe('/admin/login')
  })

  test('84: a provider that is not flagged logs no operator in, and its sessions have ended', async () => {
    const visitor = new Visitor()
    await consoleLogin('sub-olive', visitor)
    await setOperators(false)
    expect(redirectOf(await visitor.get(`${server.authUrl}/admin`))?.pathname).toBe('/admin/login')
    const page = await visitor.get(`${server.authUrl}/admin/login`)
    expect(page.text).not.toContain(`/admin/login/idp/${id}`)
    const [csrf] = /name="_csrf" value="([^"]+)"/.exec(page.text)?.slice(1) ?? []
    const start = await visitor.post(`${server.authUrl}/admin/login/idp/${id}`, { _csrf: csrf ?? '' })
    expect(start.status).toBe(404)
  })
})

test('91: a session that a login left at the moment in which the provider was disabled does not count', async () => {
  const visitor = new Visitor()
  await consoleLogin('sub-olive', visitor)
  expect((await visitor.get(`${server.authUrl}/admin`)).status).toBe(200)
  await query(server.database, 'UPDATE identity_providers SET operators = false')
  expect(redirectOf(await visitor.get(`${server.authUrl}/admin`))?.pathname).toBe('/admin/login')
  await query(server.database, 'UPDATE identity_providers SET operators = true')
})

describe('91: a login through a provider', () => {
  const dangerous = `${server.authUrl}/admin/account/second-factor`

  test('with an old session at the provider does not count as a confirmation', async () => {
    const visitor = new Visitor()
    provider.method = { ts: Math.floor(Date.now() / 1000) - 3600 }
    expect(textOf(await consoleLogin('sub-olive', visitor))).toContain('Overview')
    const confirm = await visitor.get(dangerous)
    expect(redirectOf(confirm)?.pathname).toBe('/admin/confirm')
    // The provider has to authenticate the operator again.
    provider.method = {}
    const page = await signInAs(visitor, await followAnywhere(visitor, confirm), 'sub-olive')
    expect([page.status, page.url]).toEqual([200, dangerous])
  })

  test('opens no session if the provider was disabled for operators after it began', async () => {
    await consoleLogin('sub-olive')
    const visitor = new Visitor()
    const page = await visitor.get(`${server.authUrl}/admin/login`)
    const start = await visitor.submit(page, `/admin/login/idp/${id}`, {})
    const atProvider = await followAnywhere(visitor, start)
    await setOperators(false)
    const answer = await signInAs(visitor, atProvider, 'sub-olive')
    expect([answer.status, textOf(answer)]).toEqual([403, expect.stringContaining('You are not signed in')])
    expect(redirectOf(await visitor.get(`${server.authUrl}/admin`))?.pathname).toBe('/admin/login')
  })

  test('ends the link with which a finder could set a password later', async () => {
    await changeProviderLogins(server.database, systemOrigin, 'developer', { id, logIn: true })
    const { clientId } = await server.partner({ name: 'Harbor' })
    provider.accounts.set('sub-dora', { email: 'dora@partner.example', email_verified: true })
    const { link = '' } = await invited(server, { clientId })
    expect(textOf(await logIn('/developers', 'sub-dora', new Visitor()))).toContain('Harbor')
    const finder = new Visitor()
    expect((await finder.follow(await finder.get(link))).status).toBe(410)
  })
})

describe('a provider that is flagged for developers', () => {
  const setDevelopers = (logIn: boolean) =>
    changeProviderLogins(server.database, systemOrigin, 'developer', { id, logIn })
  const login = (account: string, visitor = new Visitor()) => logIn('/developers', account, visitor)

  test('logs an invited developer in without a password, and no one else', async () => {
    await setDevelopers(true)
    const { clientId } = await server.partner({ name: 'Ledger' })
    await invited(server, { clientId, email: 'ada@example.com' })
    const visitor = new Visitor()
    expect(textOf(await login('sub-ada', visitor))).toContain('Ledger')
    expect(textOf(await login('sub-olive'))).toContain('No developer has this address')
    await setDevelopers(false)
    expect(redirectOf(await visitor.get(`${server.authUrl}/developers`))?.pathname).toBe('/developers/login')
  })

  test('87: the login of an operator through the provider is none of a developer', async () => {
    await setDevelopers(true)
    const { clientId } = await server.partner({ name: 'Ledger' })
    await invited(server, { clientId, email: 'olive@example.com' })
    const visitor = new Visitor()
    const page = await visitor.get(`${server.authUrl}/admin/login`)
    const start = await visitor.submit(page, `/admin/login/idp/${id}`, {})
    const state = redirectOf(start)?.searchParams.get('state') ?? ''
    const callback = `${server.authUrl}/developers/login/idp/${id}/callback?${new URLSearchParams({ state, code: 'x' })}`
    expect(textOf(await visitor.get(callback))).toContain('was not started here')
  })
})

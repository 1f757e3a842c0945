import { beforeEach, describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { setCredential } from '../../src/idp/providers.ts'
import { sealStored } from '../../src/secrets/stored-secret.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { type ForeignProvider, foreignProvider } from '../support/foreign-provider.ts'
import {
  addTestProvider,
  clientSecret,
  continueWith,
  followAnywhere,
  identities,
  loginThrough,
  signInAs,
  textOf,
} from '../support/idp.ts'
import { authorize } from '../support/journey.ts'
import { isConnectPage, isLoginPage } from '../support/pages.ts'
import { testServer } from '../support/server.ts'
import { isLoggedIn } from '../support/sessions.ts'
import { redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada', 'bob'], host: 'localhost' })
const partner = await server.partner()

let visitor: Visitor
beforeEach(() => {
  visitor = new Visitor()
})

async function provider(id: string, client: Record<string, unknown> = {}): Promise<ForeignProvider> {
  const foreign = await foreignProvider({
    client_id: 'latchkey',
    client_secret: clientSecret,
    redirect_uris: [`${server.authUrl}/login/idp/${id}/callback`],
    ...client,
  })
  foreign.accounts.set('sub-ada', { email: 'ada@example.com', email_verified: true, name: 'Ada' })
  foreign.accounts.set('sub-new', { email: 'new@example.com', email_verified: true, name: 'Newcomer' })
  return foreign
}

describe('how Latchkey authenticates at the provider', () => {
  test.each(['client_secret_basic', 'client_secret_post', 'client_secret_jwt'] as const)(
    '%s',
    async (method) => {
      const id = method.replaceAll('_', '-')
      const { issuer } = await provider(id, { token_endpoint_auth_method: method })
      await addTestProvider(server, { id, issuer, authMethod: method })
      expect(textOf(await loginThrough(server, id, 'sub-ada'))).toContain('User ada')
      const [row] = await query<{ credential: string }>(
        server.database,
        'SELECT credential FROM identity_providers WHERE id = $1',
        [id],
      )
      expect(row?.credential).not.toContain(clientSecret)
    },
  )

  test.each(['ES256', 'RS256'] as const)(
    'private_key_jwt with %s, before and after a new key',
    async (algorithm) => {
      const id = algorithm.toLowerCase()
      const jwks_uri = `${server.authUrl}/idp/${id}/jwks.json`
      const { issuer } = await provider(id, {
        client_secret: undefined,
        jwks_uri,
        token_endpoint_auth_method: 'private_key_jwt',
      })
      await addTestProvider(server, { id, issuer, authMethod: 'private_key_jwt', algorithm })
      expect(textOf(await loginThrough(server, id, 'sub-ada'))).toContain('User ada')
      const keys = async () => (await (await fetch(jwks_uri)).json()).keys
      const [before] = await keys()
      expect(before).toMatchObject({ alg: algorithm, use: 'sig' })
      expect(before).not.toHaveProperty('d')
      await setCredential(server.database, systemOrigin, server.context.keys, id, async () => undefined)
      const [after] = await keys()
      expect(after.kid).not.toBe(before.kid)
    },
  )

  test('a stored secret survives the replacement of LATCHKEY_SECRET, and is sealed again', async () => {
    const { issuer } = await provider('sealed')
    await addTestProvider(server, { id: 'sealed', issuer })
    const sealed = async () =>
      (await query<{ credential: string }>(server.database, 'SELECT credential FROM identity_providers')).map(
        ({ credential }) => credential.slice(0, 3),
      )
    const old = new Set(await sealed())
    expect(old.size).toBe(1)
    const next = 'the next secret of this deployment, 32 bytes or more'
    const switched = await testServer({
      on: { database: server.database, url: '', drop: async () => {} },
      secret: next,
      previousSecret: server.context.config.secret,
    })
    const now = new Set(await sealed())
    expect([...now]).toEqual([switched.context.keys.current.id])
    expect(old.has(switched.context.keys.current.id)).toBe(false)
    await switched.close()
    // This server does not know the next secret.
    const login = await visitor.get(`${server.authUrl}/login?choose=account`)
    const page = await visitor.submit(login, '/login/idp/sealed', {})
    expect([page.status, textOf(page)]).toEqual([502, expect.stringContaining('not set up correctly')])
    await query(server.database, 'UPDATE identity_providers SET credential = $1', [
      sealStored(server.context.keys, clientSecret),
    ])
  })
})

describe('which provider', () => {
  beforeEach(() => query(server.database, 'DELETE FROM identity_providers'))

  test('the domain of the address decides, and the address travels on', async () => {
    const foreign = await provider('firm')
    await addTestProvider(server, { id: 'firm', issuer: foreign.issuer, domains: ['Example.COM'] })
    const page = await authorize(visitor, server, partner)
    expect(isLoginPage(page), 'the first page asks for the address alone').toBe(false)
    const sent = await visitor.submit(page, '/login', { email: ' Ada@EXAMPLE.com ' })
    const connect = await signInAs(visitor, await followAnywhere(visitor, sent), 'sub-ada')
    expect(isConnectPage(connect)).toBe(true)
    expect(foreign.requests[0]).toMatchObject({ login_hint: 'Ada@EXAMPLE.com' })
  })

  test('another domain leads to the password, with the address filled in', async () => {
    const { issuer } = await provider('firm')
    await addTestProvider(server, { id: 'firm', issuer, domains: ['other.example'] })
    const page = await visitor.submit(await authorize(visitor, server, partner), '/login', {
      email: 'ada@example.com',
    })
    expect(isLoginPage(page)).toBe(true)
    expect(page.document.querySelector('input[name=email]')?.getAttribute('value')).toBe('ada@example.com')
  })

  test('without local passwords, an unknown domain gets an explanation', async () => {
    const { issuer } = await provider('firm')
    await addTestProvider(server, { id: 'firm', issuer, domains: ['other.example'] })
    await query(server.database, 'UPDATE firms SET local_passwords = false')
    const page = await visitor.submit(await visitor.get(`${server.authUrl}/login`), '/login', {
      email: 'a@b.example',
    })
    await query(server.database, 'UPDATE firms SET local_passwords = true')
    expect([page.status, isLoginPage(page)]).toEqual([403, false])
    expect(textOf(page)).toContain('No sign-in is set up for this email address')
  })

  test('the only provider is used at once if there are no local passwords, but not in a loop', async () => {
    const { issuer } = await provider('only')
    await addTestProvider(server, { id: 'only', issuer })
    await query(server.database, 'UPDATE firms SET local_passwords = false')
    const there = await followAnywhere(visitor, await authorize(visitor, server, partner))
    expect(there.url).toContain(issuer)
    const connect = await signInAs(visitor, there, 'sub-ada')
    expect(isConnectPage(connect)).toBe(true)
    // The provider has no registered address for the return after a logout: its own page is the end.
    const out = await followAnywhere(visitor, await visitor.submit(connect, '/logout', {}))
    expect(out.url).toContain(issuer)
    // In order to switch accounts, the page waits for the user.
    const request = new URL(connect.url).searchParams.get('request') ?? ''
    const choose = await visitor.get(
      `${server.authUrl}/login?${new URLSearchParams({ request, choose: 'account' })}`,
    )
    expect(textOf(choose)).toContain('Continue with Northbridge')
    const denied = await continueWith(visitor, choose, 'only')
    const action = denied.document.querySelector('form')?.getAttribute('action') ?? ''
    const page = await followAnywhere(visitor, await visitor.post(new URL(action, denied.url).href, {}))
    expect([page.status, textOf(page)]).toEqual([403, expect.stringContaining('You are not signed in')])
    await query(server.database, 'UPDATE firms SET local_passwords = true')
  })

  test('a provider without a logout: the page says that the user is still signed in there', async () => {
    const { issuer } = await provider('plain')
    await addTestProvider(server, { id: 'plain', issuer })
    await loginThrough(server, 'plain', 'sub-ada', visitor)
    await query(server.database, `UPDATE identity_providers SET issuer = 'http://127.0.0.1:1'`)
    const account = await visitor.get(`${server.authUrl}/connections`)
    const page = await visitor.follow(await visitor.submit(account, '/logout', {}))
    expect(textOf(page)).toContain('You may still be signed in at Northbridge')
    expect(await isLoggedIn(visitor, server)).toBe(false)
  })
})

describe('users whom no claim finds', () => {
  beforeEach(async () => {
    await query(server.database, 'DELETE FROM identity_providers')
    await query(server.database, `DELETE FROM users WHERE id NOT IN ('ada', 'bob')`)
  })
  const users = async () =>
    (
      await query<{ text: string }>(
        server.database,
        `SELECT concat_ws(' ', email, name, firm_id, role) AS text FROM users WHERE id NOT IN ('ada', 'bob')`,
      )
    ).map(({ text }) => text)

  test('are created if the operator allows it, for one firm and role', async () => {
    const { issuer } = await provider('creating')
    const creates = { firm: 'firm-1', role: 'sees-granted' }
    await addTestProvider(server, { id: 'creating', issuer, creates, scope: 'openid email profile' })
    const pages = await Promise.all([1, 2, 3].map(() => loginThrough(server, 'creating', 'sub-new')))
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await users()).toEqual(['new@example.com Newcomer firm-1 sees-granted'])
  })

  test('are not created otherwise, nor without a verified address', async () => {
    const foreign = await provider('silent')
    await addTestProvider(server, { id: 'silent', issuer: foreign.issuer })
    expect((await loginThrough(server, 'silent', 'sub-new')).status).toBe(403)
    const creates = { firm: 'firm-1', role: 'sees-granted' }
    const creating = await provider('creating')
    creating.accounts.set('sub-new', { email: 'new@example.com', email_verified: false })
    await addTestProvider(server, {
      id: 'creating',
      issuer: creating.issuer,
      creates,
      claim: 'employee',
      matches: 'id',
    })
    expect((await loginThrough(server, 'creating', 'sub-new')).status).toBe(403)
    expect(await users()).toEqual([])
  })

  test('another claim is matched with the id of the user', async () => {
    const foreign = await provider('numbers')
    foreign.accounts.set('sub-7', { name: 'ada' })
    await addTestProvider(server, {
      id: 'numbers',
      issuer: foreign.issuer,
      claim: 'name',
      matches: 'id',
      scope: 'openid profile',
    })
    expect(textOf(await loginThrough(server, 'numbers', 'sub-7'))).toContain('User ada')
    expect(await identities(server)).toEqual(['numbers sub-7 ada'])
  })
})

test('there is nothing at the addresses of a provider that does not exist', async () => {
  for (const path of ['/login/idp/none/callback', '/idp/none/jwks.json']) {
    expect((await visitor.get(`${server.authUrl}${path}`)).status).toBe(404)
  }
  const page = await visitor.get(`${server.authUrl}/idp/none/logged-out`)
  expect([page.status, redirectOf(page)]).toEqual([200, undefined])
})

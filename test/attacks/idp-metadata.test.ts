import type { ServerResponse } from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { callbackOf, json } from '../support/forging-provider.ts'
import { textOf } from '../support/idp.ts'
import { idpAttackFixture } from '../support/idp-attacks.ts'
import { isLoggedIn } from '../support/sessions.ts'
import { Visitor } from '../support/visitor.ts'

const { server, provider, other, browserOfTest, login, expectRefused, reason, freshMetadata } =
  await idpAttackFixture()

let visitor: Visitor
beforeEach(() => {
  visitor = browserOfTest()
})

describe('54: first logins while an import locks the users', () => {
  const waiting = () =>
    query(
      server.database,
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )

  test('do not wait, and those that create users wait in one queue: other logins still work', async () => {
    await query(
      server.database,
      `UPDATE identity_providers SET creates_firm = 'firm-2', creates_role = 'sees-granted' WHERE id = 'two'`,
    )
    const visitors = Array.from({ length: 12 }, () => new Visitor())
    const callbacks: URL[] = []
    for (const each of visitors) callbacks.push(await callbackOf(server, 'two', each))
    let subjects = 0
    other.issue = (claims) => {
      subjects += 1
      return other.sign({ ...claims, sub: `new-${subjects}`, email: `new-${subjects}@example.com` })
    }
    const pages = await server.database.withConnection(async (client) => {
      await client.query('BEGIN; LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE')
      const creating = visitors.map((each, index) => each.get(callbacks[index]?.href ?? ''))
      await expect.poll(() => other.requested.get('/token')).toBe(12)
      await expect.poll(async () => (await waiting()).length).toBe(1)
      expect((await login()).status).toBe(303)
      expect(await waiting()).toHaveLength(1)
      await client.query('COMMIT')
      return Promise.all(creating)
    })
    expect(pages.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 303))
    const created = await query(server.database, `DELETE FROM users WHERE id LIKE 'two:%' RETURNING id`)
    expect(created).toHaveLength(12)
    await query(server.database, `UPDATE identity_providers SET creates_firm = NULL, creates_role = NULL`)
  })
})

describe('54: metadata and keys', () => {
  beforeEach(() => freshMetadata())

  test('a changed issuer is refused and logged', async () => {
    provider.metadata = { issuer: 'https://evil.example' }
    const page = await visitor.get(`${server.authUrl}/login?choose=account`)
    await expectRefused(await visitor.submit(page, '/login/idp/one', {}), 502)
    expect(reason()).toContain('https://evil.example')
  })

  test('an authorization endpoint without TLS is not used', async () => {
    provider.metadata = { authorization_endpoint: 'http://evil.example/auth' }
    const page = await visitor.get(`${server.authUrl}/login?choose=account`)
    await expectRefused(await visitor.submit(page, '/login/idp/one', {}), 503)
  })

  test('keys that cannot be fetched, are no keys, or are endless: no login, and other logins work', async () => {
    const answers: ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(500).end(),
      (response) => response.writeHead(302, { location: `${other.issuer}/jwks` }).end(),
      (response) => json(response, { keys: 'none' }),
      (response) => json(response, { keys: [{ kty: 'oct', k: 'AA', kid: 'k1' }] }),
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const more = () => response.destroyed || response.write('x'.repeat(65_536), () => setImmediate(more))
        more()
      },
    ]
    for (const answer of answers) {
      await freshMetadata()
      provider.override.set('/jwks', answer)
      const page = await login()
      expect([400, 502, 503], textOf(page)).toContain(page.status)
      expect(await isLoggedIn(visitor, server)).toBe(false)
    }
    other.claims = { email: 'eve@example.com' }
    expect((await login('two')).status).toBe(303)
  })

  test('an answer that breaks off gives a page, and no session', async () => {
    provider.override.set('/token', (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{', () => response.destroy())
    })
    await expectRefused(await login(), 503)
  })

  test('a provider that is down gives a page with a way to try again and to use the password', async () => {
    provider.override.set('/.well-known/openid-configuration', (response) => response.destroy())
    const login = await visitor.get(`${server.authUrl}/login?choose=account`)
    const page = await visitor.submit(login, '/login/idp/one', {})
    await expectRefused(page, 503)
    expect(page.headers.get('retry-after')).toBe('5')
    const links = page.document.querySelectorAll('main a').map((link) => link.getAttribute('href'))
    expect(links).toEqual(['/login?choose=password', '/login?choose=account'])
  })

  test('metadata that cannot be read again are used for a day', async () => {
    await login()
    provider.override.set('/.well-known/openid-configuration', (response) => response.writeHead(502).end())
    server.advanceClock(23 * 3600)
    expect((await login()).status).toBe(303)
    server.advanceClock(2 * 3600)
    const page = await visitor.get(`${server.authUrl}/login?choose=account`)
    expect((await visitor.submit(page, '/login/idp/one', {})).status).toBe(503)
    server.advanceClock(-25 * 3600)
  })

  test('a new key of the provider is found, and an unknown one does not make it read the keys again and again', async () => {
    await login()
    await query(server.database, 'DELETE FROM sessions')
    const before = provider.requested.get('/jwks') ?? 0
    for (let round = 0; round < 5; round++) {
      provider.issue = (claims) => provider.sign(claims, { kid: `unknown-${round}` })
      await expectRefused(await login())
    }
    expect((provider.requested.get('/jwks') ?? 0) - before).toBeLessThanOrEqual(1)
  })

  test('a token endpoint that fails is not the user’s fault', async () => {
    provider.override.set('/token', (response) => response.writeHead(503).end())
    await expectRefused(await login(), 503)
    provider.override.set('/token', (response) =>
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client"}'),
    )
    await expectRefused(await login(), 502)
    provider.override.set('/token', (response) =>
      response.writeHead(307, { location: `${other.issuer}/token` }).end(),
    )
    await expectRefused(await login(), 502)
    expect(other.requested.get('/token')).toBeUndefined()
  })
})

import { beforeEach, expect } from 'vitest'
import { sealStored } from '../../src/secrets/stored-secret.ts'
import { query } from './database.ts'
import { serverFixture } from './fixtures.ts'
import { callbackOf, forgingProvider } from './forging-provider.ts'
import { addTestProvider, clientSecret, textOf } from './idp.ts'
import type { TestServer } from './server.ts'
import { isLoggedIn } from './sessions.ts'
import { type Page, Visitor } from './visitor.ts'

/**
 * A server with two providers that send what the test wants: `one` for the firm of ada and bob, `two` for that of eve. Each
 * test has a separate browser. Call it at the top level of a file.
 */
export async function idpAttackFixture() {
  const server = await serverFixture({
    users: ['ada', 'bob', { id: 'eve', firm: 'firm-2' }],
    host: 'localhost',
  })
  const partner = await server.partner()
  const provider = await forgingProvider()
  const other = await forgingProvider()
  await addTestProvider(server, { id: 'one', issuer: provider.issuer })
  await addTestProvider(server, { id: 'two', issuer: other.issuer, firms: ['firm-2'] })

  let visitor: Visitor
  beforeEach(async () => {
    visitor = new Visitor()
    for (const each of [provider, other]) {
      each.claims = {}
      each.metadata = {}
      each.override.clear()
      each.requested.clear()
      each.issue = (claims) => each.sign(claims)
    }
    await query(server.database, 'DELETE FROM identities')
    await query(server.database, 'DELETE FROM login_failures')
  })

  const flowCookies = async () => {
    const cookies = await visitor.jar.getCookies(server.authUrl)
    return cookies.filter(({ key }) => key.includes('latchkey-flow'))
  }

  async function login(id = 'one'): Promise<Page> {
    return visitor.get((await callbackOf(server, id, visitor)).href)
  }

  async function expectRefused(page: Page, status = 400): Promise<void> {
    expect(page.status, textOf(page)).toBe(status)
    expect(await isLoggedIn(visitor, server)).toBe(false)
  }

  return {
    ...{ server, partner, provider, other, browserOfTest: () => visitor },
    ...{ flowCookies, login, expectRefused },
    reason: () => reasonOfLastLogin(server),
    freshMetadata: (id = 'one') => freshMetadata(server, id),
  }
}

/** What the log says about the last callback. */
function reasonOfLastLogin(server: TestServer): unknown {
  const lines = server
    .logs()
    .split('\n')
    .filter((line) => line.includes('"provider_login"'))
  const { outcome, reason } = JSON.parse(lines.at(-1) ?? '{}')
  return reason ?? outcome
}

/** Stores the client secret again: the server then forgets what it knows about the provider. */
async function freshMetadata({ database, context }: TestServer, id: string): Promise<void> {
  const sealed = sealStored(context.keys, clientSecret)
  await query(database, 'UPDATE identity_providers SET credential = $2 WHERE id = $1', [id, sealed])
}

import { randomBytes } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { endOldSecrets } from '../../src/keys/end-old-secrets.ts'
import { findLink } from '../../src/recovery/recovery.sql.ts'
import { sha256 } from '../../src/secrets/token-format.ts'
import { codeFor, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture } from '../support/fixtures.ts'
import { Fleet, type Secrets } from '../support/fleet.ts'
import { api, authorizeUrl, refresh, token } from '../support/journey.ts'
import { publishedKids } from '../support/keys.ts'
import { attempt, loginPage, right, wrong } from '../support/login.ts'
import { loggedIn } from '../support/pages.ts'
import { type TestServer, testSecret, testServer } from '../support/server.ts'
import { isLoggedIn } from '../support/sessions.ts'
import { type Page, redirectOf, type Visitor } from '../support/visitor.ts'
import { apiV2 } from '../support/walks.ts'

const fresh = randomBytes(48).toString('base64url')

const db = await databaseFixture()
await seed(db.database, { users: ['ada', 'bob', 'cleo'], households: ['h1', 'h2', 'h3'] })
const running: TestServer[] = []
afterAll(() => Promise.all(running.map((server) => server.close())))
beforeEach(() => query(db.database, 'DELETE FROM login_failures'))

/** All servers have the same public address. The returned addresses are where the server itself can be reached. */
async function start(secrets: Secrets): Promise<TestServer> {
  const addresses = { authUrl: 'http://login.example', baseUrl: 'http://api.example/service-open-api/' }
  const server = await testServer({ on: db, ...addresses, ...secrets })
  running.push(server)
  return { ...server, ...Fleet.reach(server) }
}

const old = await start({ secret: testSecret })
const partner = await old.partner()

/** One login attempt in a browser that has been used before. */
async function attemptIn(
  visitor: Visitor,
  server: TestServer,
  fields: Record<string, string>,
): Promise<Page> {
  return visitor.submit(await loginPage(server, visitor), '/login', fields)
}

async function knownBrowser(server: TestServer, userId: string): Promise<Visitor> {
  const browser = await loggedIn(server, userId)
  await browser.submit(await browser.get(`${server.authUrl}/connections`), '/logout', {})
  return browser
}

/** The status of a login with the right password in this browser while an attacker has locked the account. */
async function statusWhileLocked(browser: Visitor, server: TestServer, userId: string): Promise<number> {
  for (let i = 0; i < 10; i++) expect((await attempt(server, wrong(userId))).status).toBe(403)
  return (await attemptIn(browser, server, right(userId))).status
}

/** A connect page, and its address without the host. */
async function connectPage(server: TestServer, browser: Visitor): Promise<{ page: Page; path: string }> {
  const location = redirectOf(await browser.post(authorizeUrl(server, partner), ''))
  const path = `${location?.pathname}${location?.search}`
  return { page: await browser.get(`${server.authUrl}${path}`), path }
}

async function cursorsOf(server: TestServer, accessToken: string): Promise<{ v1: string; v2: string }> {
  const { headers } = await api(server, 'households?page_size=1', accessToken)
  const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? ''
  const { body } = await apiV2(server, 'households', accessToken, { limit: 1 })
  return {
    v1: new URL(next).searchParams.get('cursor') ?? '',
    v2: (body as { next_cursor: string }).next_cursor,
  }
}

describe('62: what was made with an old secret', async () => {
  const ada = await loggedIn(old, 'ada')
  const { page, path } = await connectPage(old, ada)
  const { accessToken } = await tokensFor(old, partner, 'ada')
  const cursors = await cursorsOf(old, accessToken)
  const bob = await knownBrowser(old, 'bob')
  const cleo = await knownBrowser(old, 'cleo')
  await seed(db.database, { households: ['g1'] })
  const overlap = await start({ secret: fresh, previousSecret: testSecret })
  const after = await start({ secret: fresh })

  const press = (server: TestServer) =>
    ada.submit({ ...page, url: `${server.authUrl}/connect` }, '/connect', { decision: 'connect' })
  const v1 = async (server: TestServer) => {
    const { accessToken: current } = await tokensFor(server, partner, 'ada')
    const { body } = await api(server, `households?page=1&page_size=1&cursor=${cursors.v1}`, current)
    return body
  }
  const v2 = async (server: TestServer) => {
    const { accessToken: current } = await tokensFor(server, partner, 'ada')
    return (await apiV2(server, 'households', current, { limit: 1, cursor: cursors.v2 })).status
  }

  test('is refused after the secret was removed: sealed request, form, cursor, known browser', async () => {
    expect((await ada.get(`${after.authUrl}${path}`)).status).toBe(400)
    expect((await press(after)).status).toBe(403)
    expect(await v1(after)).toMatchObject([{ id: 'h1' }]) // by its number: the cursor counts as none
    expect(await v2(after)).toBe(400)
    expect(await statusWhileLocked(bob, after, 'bob')).toBe(429)
  })

  test('is accepted before that, and the browser then gets what the new secret makes', async () => {
    expect((await ada.get(`${overlap.authUrl}${path}`)).status).toBe(200)
    expect(redirectOf(await press(overlap))?.searchParams.get('code')).toMatch(/^lk_test_ac_/)
    expect(await v1(overlap)).toMatchObject([{ id: 'h2' }])
    expect(await v2(overlap)).toBe(200)
    expect(await statusWhileLocked(cleo, overlap, 'cleo')).toBe(303)
    await cleo.submit(await cleo.get(`${overlap.authUrl}/connections`), '/logout', {})
    await query(db.database, 'DELETE FROM login_failures')
    expect(await statusWhileLocked(cleo, after, 'cleo')).toBe(303)
  })
})

describe('11: password guessing while servers have different secrets', async () => {
  const one = await start({ secret: testSecret, nextSecret: fresh })
  const two = await start({ secret: fresh, previousSecret: testSecret })

  test('at most twice the ten guesses are checked, even if all come at once', async () => {
    const pages = await Promise.all(
      Array.from({ length: 60 }, (_, place) => attempt(place % 2 ? one : two, wrong('ada'))),
    )
    expect(pages.filter(({ status }) => status === 403)).toHaveLength(20)
    expect((await attempt(one, right('ada'))).status).toBe(429)
    expect((await attempt(two, right('ada'))).status).toBe(429)
  })
})

describe('62: a leaked secret, replaced with --compromised', async () => {
  const leaked = await start({ secret: fresh, previousSecret: testSecret })
  const ada = await loggedIn(leaked, 'ada')
  const { page } = await connectPage(leaked, ada)
  const { accessToken, refreshToken, idToken } = await tokensFor(leaked, partner, 'ada')
  const code = await codeFor(leaked, partner, 'ada')
  const oldKids = await publishedKids(leaked)
  // An attacker with the secret and a copy of the database can read the link in the mail.
  await query(
    db.database,
    `INSERT INTO outbox (kind, payload, expires_at)
     SELECT 'mail', jsonb_build_object('facts', facts), now() + interval '1 day' FROM jsonb_array_elements($1) AS facts`,
    [JSON.stringify([{ link: 'sealed' }, { partner: 'Nice Budget' }])],
  )
  const link = { hash: sha256('the secret of a link') }
  await query(
    db.database,
    `INSERT INTO password_links (user_id, hash, login_version, expires_at)
     SELECT id, $1, login_version, now() + interval '1 day' FROM users WHERE id = 'bob'`,
    [link.hash],
  )
  const secret = randomBytes(48).toString('base64url')
  const ended = await endOldSecrets(db.database, systemOrigin, { ...leaked.context.config, secret })
  const now = await start({ secret })

  test('nothing that it made is accepted, and the signing keys are new', async () => {
    expect(ended).toBeGreaterThan(1)
    expect((await api(now, 'households', accessToken)).status).toBe(401)
    expect((await refresh(now, partner, refreshToken)).body).toMatchObject({ error: 'invalid_grant' })
    expect((await token(now, partner, { grant_type: 'authorization_code', code })).body).toMatchObject({
      error: 'invalid_grant',
    })
    const pressed = { ...page, url: `${now.authUrl}/connect` }
    expect((await ada.submit(pressed, '/connect', { decision: 'connect' })).status).toBe(403)
    const kids = await publishedKids(now)
    expect(kids).toHaveLength(2)
    expect(oldKids).toContain(decodeProtectedHeader(idToken).kid)
    for (const kid of oldKids) expect(kids).not.toContain(kid)
    expect(await now.context.keyring.publicKey(decodeProtectedHeader(idToken).kid ?? '')).toBeUndefined()
  })

  test('links to set a password no longer work, and are not mailed', async () => {
    expect(await db.database.maybe(findLink, [link.hash])).toBeUndefined()
    expect(await query(db.database, `SELECT payload->'facts' AS facts FROM outbox`)).toEqual([
      { facts: { partner: 'Nice Budget' } },
    ])
  })

  test('a server with the leaked secret does not start again', async () => {
    await expect(start({ secret: fresh })).rejects.toThrow(/encrypted with another secret/)
  })

  test('users stay logged in, and connect again', async () => {
    expect(await isLoggedIn(ada, now)).toBe(true)
    const tokens = await tokensFor(now, partner, 'ada')
    expect((await api(now, 'households', tokens.accessToken)).status).toBe(200)
  })
})

import { randomBytes } from 'node:crypto'
import { compactDecrypt, createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, describe, expect, test } from 'vitest'
import { deriveKeys } from '../../src/secrets/derived-keys.ts'
import { issued } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture } from '../support/fixtures.ts'
import { Fleet, type Secrets, type Send } from '../support/fleet.ts'
import { api, authorizeUrl, logIn, token } from '../support/journey.ts'
import { keysOf, rotateKey } from '../support/keys.ts'
import { type TestPartner, type TestServer, testSecret, testServer } from '../support/server.ts'
import { type Page, redirectOf, Visitor } from '../support/visitor.ts'
import { apiV2 } from '../support/walks.ts'

const fresh = randomBytes(48).toString('base64url')

/** What the two servers have, in the order in which the guide restarts them. */
const before: Secrets = { secret: testSecret }
const announced: Secrets = { secret: testSecret, nextSecret: fresh }
const switched: Secrets = { secret: fresh, previousSecret: testSecret }
const finished: Secrets = { secret: fresh }

const households = ['h1', 'h2', 'h3']

/** A connect page of a user who is logged in, as one server made it. */
async function connectPage(send: Send, visitor: Visitor, partner: TestPartner): Promise<Page> {
  const sent = await send((at) => visitor.post(authorizeUrl(at, partner), ''))
  const location = redirectOf(sent)
  const page = await send((at) => visitor.get(`${at.authUrl}${location?.pathname}${location?.search}`))
  expect(page.status).toBe(200)
  return page
}

/** Presses *Connect* on one server, wherever the page came from. @returns the code */
async function press(send: Send, visitor: Visitor, page: Page): Promise<string> {
  const answer = await send((at) =>
    visitor.submit({ ...page, url: `${at.authUrl}/connect` }, '/connect', { decision: 'connect' }),
  )
  const code = redirectOf(answer)?.searchParams.get('code')
  if (!code) throw new Error(`no code: ${answer.status} ${answer.text}`)
  return code
}

async function loggedIn(send: Send, userId: string): Promise<Visitor> {
  const visitor = new Visitor()
  await send(async (at) => logIn(visitor, await visitor.get(`${at.authUrl}/login`), userId))
  return visitor
}

/** The id of the first household of API v1, and the cursor of the second page. */
async function firstPage(send: Send, accessToken: string): Promise<{ first: string; cursor: string }> {
  const { body, headers } = await send((at) => api(at, 'households?page_size=1', accessToken))
  const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? ''
  const [row] = body as { id: string }[]
  return { first: row?.id ?? '', cursor: new URL(next).searchParams.get('cursor') ?? '' }
}

async function secondPage(send: Send, accessToken: string, cursor: string): Promise<string | undefined> {
  const query = `page=1&page_size=1${cursor && `&cursor=${cursor}`}`
  const { body } = await send((at) => api(at, `households?${query}`, accessToken))
  return (body as { id: string }[])[0]?.id
}

/** Reads two pages of API v2. A cursor that is not accepted would be refused. */
async function sync(send: Send, accessToken: string): Promise<void> {
  const page = (query: Record<string, string | number>) =>
    send((at) => apiV2(at, 'households', accessToken, query))
  const { body } = await page({ limit: 1 })
  const { status } = await page({ limit: 1, cursor: (body as { next_cursor: string }).next_cursor })
  expect(status).toBe(200)
}

async function verifyIdToken(send: Send, partner: TestPartner, idToken: string): Promise<void> {
  const keys = await send(async (at) => (await fetch(`${at.authUrl}/.well-known/jwks.json`)).json())
  await jwtVerify(idToken, createLocalJWKSet(keys), {
    issuer: 'http://login.example',
    audience: partner.clientId,
  })
}

/** One user connects an app and the partner reads. Each request goes to another server than the one before. */
async function journey(send: Send, partner: TestPartner, visitor: Visitor): Promise<string> {
  const page = await connectPage(send, visitor, partner)
  const code = await press(send, visitor, page)
  expect(await press(send, visitor, page)).toBe(code)
  const answer = await send((at) => token(at, partner, { grant_type: 'authorization_code', code }))
  const { accessToken, idToken } = issued(answer)
  await verifyIdToken(send, partner, idToken)
  await sync(send, accessToken)
  return accessToken
}

describe('the secret is replaced while two servers are restarted one by one', async () => {
  const db = await databaseFixture()
  await seed(db.database, { users: ['ada', 'bob', 'cleo'], households })
  const fleet = await Fleet.start(db, before)
  afterAll(() => fleet.close())

  test('under load, no request fails, and no user is logged out', async () => {
    const partner = (await fleet.servers[0]?.partner()) ?? expect.fail()
    const early = await loggedIn(fleet.next, 'ada')
    let restarting = true
    let journeys = 0
    let restarts = 0
    const load = ['bob', 'cleo'].map(async (userId) => {
      const visitor = await loggedIn(fleet.next, userId)
      while (restarting) {
        await journey(fleet.next, partner, visitor)
        journeys++
      }
    })
    const stages = [announced, switched, finished]
    const moved = (async () => {
      for (const secrets of stages) {
        for (const place of [0, 1] as const) {
          const page = await connectPage(fleet.next, early, partner)
          const accessToken = await journey(fleet.next, partner, early)
          const { first, cursor } = await firstPage(fleet.next, accessToken)
          const second = await secondPage(fleet.next, accessToken, '')
          const reached = journeys
          await fleet.restart(place, secrets)
          // Counted by numbers, the second page begins with `first` now. The cursor continues after it.
          await seed(db.database, { households: [`g${9 - restarts++}`] })
          await query(db.database, 'UPDATE firms SET changed_at = now()') // as every import does
          for (const send of fleet.each) {
            expect(await secondPage(send, accessToken, '')).toBe(first)
            expect(await secondPage(send, accessToken, cursor)).toBe(second)
          }
          // The page was made before the restart. Both servers give the same code.
          const codes = await Promise.all(fleet.each.map((send) => press(send, early, page)))
          expect(codes[1]).toBe(codes[0])
          await expect.poll(() => journeys, { timeout: 30_000 }).toBeGreaterThan(reached + 1)
        }
      }
    })()
    const stopLoad = () => {
      restarting = false
    }
    await Promise.all([moved.then(stopLoad), ...load]).finally(stopLoad)
    for (const server of fleet.servers) {
      expect((await early.get(`${Fleet.reach(server).authUrl}/connections`)).status).toBe(200)
      expect(server.context.keys.accepted).toHaveLength(1)
    }
  }, 120_000)

  test('the private signing keys are then encrypted with the new secret', async () => {
    expect(await sealedWith(fleet, fresh)).toEqual([true, true])
    expect(await sealedWith(fleet, testSecret)).toEqual([false, false])
  })
})

async function sealedWith(fleet: Fleet | TestServer, secret: string): Promise<boolean[]> {
  const { database } = fleet instanceof Fleet ? (fleet.servers[0] ?? expect.fail()) : fleet
  const rows = await query<{ private_jwk: string }>(
    database,
    'SELECT private_jwk FROM signing_keys WHERE private_jwk IS NOT NULL ORDER BY algorithm, generation',
  )
  const key = deriveKeys(secret, 'sandbox')['signing-key']
  return Promise.all(
    rows.map(({ private_jwk }) =>
      compactDecrypt(private_jwk, key).then(
        () => true,
        () => false,
      ),
    ),
  )
}

describe('the private signing keys', async () => {
  const db = await databaseFixture()
  const old = await testServer({ on: db, ...announced })
  afterAll(() => old.close())

  test('are encrypted again once, by one of many servers, and a server with the old secret does not undo it', async () => {
    await query(
      db.database,
      `CREATE TABLE encryptions (kid text);
       CREATE FUNCTION count_encryption() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN INSERT INTO encryptions VALUES (new.kid); RETURN new; END $$;
       CREATE TRIGGER encryptions AFTER UPDATE OF private_jwk ON signing_keys
         FOR EACH ROW EXECUTE FUNCTION count_encryption()`,
    )
    const encryptions = async () =>
      (await query<{ kid: string }>(db.database, 'SELECT kid FROM encryptions')).map(({ kid }) => kid).sort()
    const servers = await Promise.all(Array.from({ length: 3 }, () => testServer({ on: db, ...switched })))
    const all = [old, ...servers]
    for (let round = 0; round < 5; round++)
      await Promise.all(all.map(({ context }) => context.keyring.refresh()))
    expect(await encryptions()).toEqual((await keysOf(old)).map(({ kid }) => kid).sort())
    expect(await sealedWith(old, fresh)).toEqual([true, true])
    // A key that the server with the old secret makes meanwhile.
    const { kid } = await rotateKey(old)
    expect(await sealedWith(old, fresh)).toEqual([true, true, false])
    await Promise.all(all.map(({ context }) => context.keyring.refresh()))
    expect(await encryptions()).toHaveLength(3)
    expect(await encryptions()).toContain(kid)
    await Promise.all(all.map(({ context }) => context.keyring.refresh()))
    expect(await sealedWith(old, fresh)).toEqual([true, true, true])
    for (const server of servers) await server.close()
  })

  test('cannot be opened by a server without their secret, which does not start and records nothing', async () => {
    const recorded = () => query(db.database, 'SELECT key_id, current_since FROM secrets ORDER BY key_id')
    const secrets = await recorded()
    await expect(testServer({ on: db, secret: randomBytes(32).toString('hex') })).rejects.toThrow(
      /encrypted with another secret than LATCHKEY_SECRET, LATCHKEY_SECRET_PREVIOUS or LATCHKEY_SECRET_NEXT/,
    )
    expect(await recorded()).toEqual(secrets)
  })
})

describe('the previous secret', async () => {
  const db = await databaseFixture()
  const day = 24 * 3600 * 1000
  const limits = (server: TestServer) =>
    server.context.keys.accepted.map(({ tokensExpireBefore }) => tokensExpireBefore)
  const since = async (secret: string) => {
    const { id } = deriveKeys(secret, 'sandbox')
    const [row] = await query<{ current_since: Date }>(
      db.database,
      'SELECT current_since FROM secrets WHERE key_id = $1',
      [id],
    )
    return row?.current_since.getTime() ?? Number.NaN
  }
  const start = async (secrets: Secrets) => {
    const server = await testServer({ on: db, ...secrets })
    await server.close()
    return server
  }

  test('limits its tokens to 31 days after the switch, which a second start does not move', async () => {
    expect(limits(await start(announced))).toEqual([undefined, undefined])
    const first = await start(switched)
    expect(limits(first)).toEqual([undefined, new Date((await since(fresh)) + 31 * day)])
    expect(limits(await start(switched))).toEqual(limits(first))
  })

  test('counts from its return if the operator goes back to the old secret', async () => {
    await query(db.database, `UPDATE secrets SET current_since = current_since - interval '40 days'`)
    const returned = await start({ secret: testSecret, previousSecret: fresh })
    expect(await since(testSecret)).toBeGreaterThan(Date.now() - day)
    expect(limits(returned)).toEqual([undefined, new Date((await since(testSecret)) + 31 * day)])
    await start(switched)
  })

  test('is not accepted by a server that starts 31 days after the switch, but still opens signing keys', async () => {
    await start({ secret: testSecret, previousSecret: fresh }) // they are encrypted with the old secret again
    await start(switched)
    await query(db.database, `UPDATE secrets SET current_since = current_since - interval '32 days'`)
    await start({ secret: testSecret, nextSecret: fresh })
    await query(db.database, `UPDATE secrets SET current_since = current_since - interval '32 days'`)
    const late = await start(switched)
    expect(late.context.keys.accepted).toHaveLength(2)
    await query(db.database, `UPDATE secrets SET current_since = current_since - interval '31 days'`)
    const later = await start(switched)
    expect(later.context.keys.accepted.map(({ id }) => id)).toEqual([deriveKeys(fresh, 'sandbox').id])
    expect(await sealedWith(later, fresh)).toEqual([true, true])
  })
})

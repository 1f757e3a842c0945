import { describe, expect, onTestFinished, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { revokeGrant } from '../../src/grants/grants.ts'
import { newToken } from '../../src/secrets/token-format.ts'
import { type Issued, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api, refresh, token } from '../support/journey.ts'
import { disconnectPage, loggedIn } from '../support/pages.ts'
import { ofRuns } from '../support/property-runs.ts'
import type { TestServer } from '../support/server.ts'

/** For each server: requests per second, and how many requests before and after the end of the grant. */
const perSecond = 50
const before = 40
const after = 50

const db = await databaseFixture()
const servers = [await serverFixture({ on: db }), await serverFixture({ on: db })]
const partner = await first(servers).partner()
/** Which request is in progress at the end is chance. Therefore the long suite repeats both tests. */
const usersOf = (name: string) => Array.from({ length: ofRuns(6) }, (_, n) => `${name}-${n}`)
const [disconnecting, ofOperator] = [usersOf('page'), usersOf('operator')]
await seed(db.database, { users: [...disconnecting, ...ofOperator], households: ['h1'] })

const kinds = ['call', 'call', 'refresh', 'call', 'redemption'] as const
type Sent = { kind: (typeof kinds)[number]; server: TestServer; startedAt: number; status: number }

/** Codes of the live grant, as if the user had connected so many times. */
async function codesOf(grantId: string, count: number): Promise<string[]> {
  const codes = Array.from({ length: count }, () => newToken('sandbox', 'ac'))
  for (const { hash } of codes) {
    await query(
      db.database,
      `INSERT INTO connections (grant_id, client_id, code_hash, code_expires_at, redirect_uri, auth_time, acr, amr)
       VALUES ($1, $2, $3, now() + interval '1 minute', $4, now(), 'acr', '{pwd}')`,
      [grantId, partner.clientId, hash, partner.redirectUri],
    )
  }
  return codes.map(({ text }) => text)
}

/** Requests of all kinds to both servers at a steady rate. They do not wait for earlier responses. */
class Load {
  readonly sent: Sent[] = []
  readonly #answers: Promise<void>[] = []
  readonly #timer: NodeJS.Timeout
  readonly #tokens: Issued
  readonly #codes: string[]
  #turn = 0
  #onTick = () => {}

  constructor(tokens: Issued, codes: string[]) {
    this.#tokens = tokens
    this.#codes = codes
    this.#timer = setInterval(() => this.tick(), 1000 / perSecond)
  }

  /** One request to each server. */
  tick(): void {
    const kind = kinds[this.#turn++ % kinds.length] ?? 'call'
    for (const server of servers) this.#send(kind, server)
    this.#onTick()
  }

  /** Waits until so many more requests have been sent to each server. */
  async more(count: number): Promise<void> {
    const until = this.#turn + count
    await new Promise<void>((resolve) => {
      this.#onTick = () => this.#turn >= until && resolve()
    })
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#answers)
  }

  #send(kind: Sent['kind'], server: TestServer): void {
    const sent = { kind, server, startedAt: performance.now(), status: 0 }
    this.sent.push(sent)
    const answer = this.#request(kind, server).then(({ status }) => {
      sent.status = status
    })
    this.#answers.push(answer)
  }

  #request(kind: Sent['kind'], server: TestServer): Promise<{ status: number }> {
    switch (kind) {
      case 'call':
        return api(server, 'households', this.#tokens.accessToken)
      case 'refresh':
        return refresh(server, partner, this.#tokens.refreshToken) // the successor is never used, so this token keeps working
      case 'redemption':
        return token(server, partner, { grant_type: 'authorization_code', code: this.#codes.pop() ?? '' })
    }
  }
}

async function endWhileUsed(user: string, end: (grantId: string) => Promise<() => Promise<number>>) {
  const tokens = await tokensFor(first(servers), partner, user)
  const [grant] = await query<{ id: string }>(db.database, 'SELECT id FROM grants WHERE user_id = $1', [user])
  const grantId = grant?.id ?? ''
  const press = await end(grantId)
  const load = new Load(tokens, await codesOf(grantId, (before + after) * 2))
  onTestFinished(() => load.stop())
  await load.more(before)
  const endedAt = await press()
  for (const _ of kinds) load.tick() // one of each kind at once, in addition to the steady ones
  await load.more(after)
  await load.stop()

  const works = load.sent.filter(({ status }) => status === 200)
  const late = load.sent.filter(({ startedAt }) => startedAt > endedAt)
  for (const server of servers) {
    for (const kind of new Set(kinds)) {
      const here = (sent: Sent) => sent.server === server && sent.kind === kind
      expect(works.filter(here).length, `${kind} before`).toBeGreaterThan(0)
      expect(late.filter(here).length, `${kind} after`).toBeGreaterThanOrEqual(after / kinds.length)
      const refused = kind === 'call' ? 401 : 400
      expect(new Set(late.filter(here).map(({ status }) => status)), `${kind} after`).toEqual(
        new Set([refused]),
      )
    }
  }
}

describe('19: while both servers are called 50 times a second, no request that starts after the end succeeds', () => {
  test.each(disconnecting)('after the page has confirmed the disconnect: %s', async (user) => {
    await endWhileUsed(user, async (grant) => {
      const server = first(servers)
      const visitor = await loggedIn(server, user)
      const page = await disconnectPage(visitor, server)
      return async () => {
        const done = await visitor.submit(page, '/connections/disconnect', { grant })
        const answeredAt = performance.now()
        expect([done.status, done.headers.get('location')]).toEqual([303, '/connections'])
        return answeredAt
      }
    })
  })

  test.each(ofOperator)('after the operator has revoked the grant: %s', async (user) => {
    await endWhileUsed(user, async (grant) => async () => {
      const ended = await revokeGrant(db.database, systemOrigin, { id: grant })
      expect(ended).toEqual({ clientId: partner.clientId })
      return performance.now()
    })
  })
})

function first<Item>([item]: Item[]): Item {
  if (item === undefined) throw new Error('the list is empty')
  return item
}

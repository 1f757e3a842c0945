import fc from 'fast-check'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import type { DirectoryRows } from '../support/directory.ts'
import { type Change, changed, directoryChange, firms, userIds } from '../support/directory-changes.ts'
import { replaceDirectory } from '../support/directory-rows.ts'
import { serverFixture } from '../support/fixtures.ts'
import { beginImport } from '../support/logged-import.ts'
import { ofRuns } from '../support/property-runs.ts'
import { type Walked, walk } from '../support/walks.ts'

const server = await serverFixture()

type Copy = Record<string, string | null>

/** What a user sees, said a second time and as plainly as it can be. */
function visible({ users, households, accounts, access }: DirectoryRows, userId: string): Copy {
  const user = users.find(({ id }) => id === userId)
  const granted = (household: string) =>
    accounts.some(
      (a) => a.household === household && access.some((x) => x.user === userId && x.account === a.id),
    )
  const seen = households.filter(
    ({ id, firm }) => firm === user?.firm && (user.sees === 'firm' || granted(id)),
  )
  return Object.fromEntries(seen.map(({ id, name }) => [id, name ?? null]))
}

/** A partner that keeps a copy of what one user sees: a full walk at first and when it is told to, otherwise what changed. */
class Partner {
  readonly #accessToken: string
  copy: Copy = {}
  asOf: string | undefined
  fullWalks = 0
  /** Households and ids that syncs told. */
  told = 0

  constructor(accessToken: string) {
    this.#accessToken = accessToken
  }

  async sync(limit: number, between?: () => Promise<unknown>): Promise<Walked> {
    if (this.asOf !== undefined) {
      const walked = await this.#changes(limit, this.asOf, between)
      if (walked) return walked
    }
    this.fullWalks += 1
    const walked = await this.#walked({ limit }, between)
    if (!walked) return this.sync(limit, between)
    this.copy = Object.fromEntries(walked.data.map(({ id, name = null }) => [id, name]))
    this.asOf = walked.receipt.as_of
    return walked
  }

  async #changes(
    limit: number,
    since: string,
    between?: () => Promise<unknown>,
  ): Promise<Walked | undefined> {
    const walked = await this.#walked({ limit, updated_since: since }, between)
    for (const { data, removed = [] } of walked?.pages ?? []) {
      for (const { id, name = null } of data) this.copy[id] = name
      for (const id of removed) delete this.copy[id]
      this.told += data.length + removed.length
    }
    this.asOf = walked?.receipt.as_of
    return walked
  }

  /** Undefined where the walk cannot go on, and has to be begun again. */
  #walked(query: Parameters<typeof walk>[2], between?: () => Promise<unknown>): Promise<Walked | undefined> {
    return walk(server, this.#accessToken, query, between).catch((error) => {
      if (String(error).includes('"code":"sync_expired"')) return undefined
      throw error
    })
  }
}

/** Imports one after the other; each call of `go` begins the next one or commits the one that is under way. */
class Imports {
  readonly #client: pg.Client
  readonly #besides: number
  readonly #waiting: Change[][]
  #pending: DirectoryRows | undefined
  rows: DirectoryRows
  /** The households that were of a firm at any time, as `firm household`. */
  readonly everOf = new Set<string>()

  constructor(client: pg.Client, rows: DirectoryRows, changes: Change[][], besides: number) {
    this.#client = client
    this.rows = rows
    this.#waiting = [...changes]
    this.#besides = besides
  }

  async go(): Promise<boolean> {
    const changes = this.#pending ? undefined : this.#waiting.shift()
    if (changes) {
      this.#pending = changes.reduce(changed, this.rows)
      for (const { id, firm } of this.#pending.households) this.everOf.add(`${firm} ${id}`)
      await beginImport(this.#client, this.rows, this.#pending, this.#besides)
      return true
    }
    if (!this.#pending) return false
    await this.#client.query('COMMIT')
    this.rows = this.#pending
    this.#pending = undefined
    return true
  }

  /** Commits what is under way, and what is to come. */
  async finish(): Promise<void> {
    while (await this.go());
  }
}

const scenario = (users: number) =>
  fc.record({
    first: fc.array(directoryChange(users), { minLength: 40, maxLength: 80 }),
    imports: fc.array(fc.array(directoryChange(users), { minLength: 1, maxLength: 8 }), {
      minLength: 8,
      maxLength: 16,
    }),
    limit: fc.integer({ min: 1, max: 4 }),
    going: fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
  })

type Scenario = typeof scenario extends (users: number) => fc.Arbitrary<infer S> ? S : never

async function play({ first, imports, limit, going }: Scenario, sees: ('firm' | 'granted')[], besides = 0) {
  const users = userIds.map((id, index) => ({ id, firm: 'f', sees: sees[index] ?? 'granted' }))
  const empty: DirectoryRows = { firms, users, households: [], accounts: [], access: [] }
  await replaceDirectory(server.database, empty)
  const tokens = await Promise.all(userIds.map((id) => accessTokenOf(server.database, id)))
  const partners = tokens.map((token) => new Partner(token))
  await server.database.withConnection(async (client) => {
    const at = new Imports(client, empty, [first, ...imports], besides)
    await at.go()
    await at.go()
    let turn = 0
    const between = async () => {
      if (going[turn++ % going.length]) await at.go()
    }
    for (let round = 0; round < 3; round++) {
      if (round > 0) for (let step = 0; step < 4; step++) await at.go()
      for (const partner of partners) {
        await partner.sync(limit, between)
        await between()
      }
    }
    await at.finish()
    for (const [index, partner] of partners.entries()) {
      const { data, removed } = await partner.sync(limit)
      const { id, firm } = at.rows.users.find((row) => row.id === userIds[index]) ?? { id: '', firm: '' }
      expect(partner.copy).toEqual(visible(at.rows, id))
      const ids = [...data.map((row) => row.id), ...removed]
      // Once for each log that a household is in.
      const logs = at.rows.users.find((row) => row.id === id)?.sees === 'firm' ? 1 : 2
      for (const one of ids) expect(ids.filter((other) => other === one).length).toBeLessThanOrEqual(logs)
      for (const gone of removed) expect(gone.startsWith('~') || at.everOf.has(`${firm} ${gone}`)).toBe(true)
      expect(await partner.sync(limit)).toMatchObject({ data: [], removed: [] })
    }
  })
  return {
    told: partners.map(({ told }) => told).reduce((one, other) => one + other),
    fullWalks: partners.map(({ fullWalks }) => fullWalks),
  }
}

test('for any changes, also between the pages, a copy kept by syncs is in the end what the user sees', async () => {
  let told = 0
  await fc.assert(
    fc.asyncProperty(scenario(0), async (given) => {
      const played = await play(given, ['firm', 'granted', 'granted'])
      expect(played.fullWalks).toEqual([1, 1, 1])
      told += played.told
    }),
    { numRuns: ofRuns(40) },
  )
  expect(told).toBeGreaterThan(ofRuns(300))
})

test('the same where roles and firms of users change too: then, and only then, all is walked again', async () => {
  let again = 0
  await fc.assert(
    fc.asyncProperty(scenario(2), async (given) => {
      const { fullWalks } = await play(given, ['firm', 'granted', 'granted'])
      again += Math.max(...fullWalks) - 1
    }),
    { numRuns: ofRuns(25) },
  )
  expect(again).toBeGreaterThan(ofRuns(10))
})

test('the same where so much else changes that a user is served by the few households there is access to', async () => {
  let told = 0
  await fc.assert(
    fc.asyncProperty(scenario(0), async (given) => {
      told += (await play(given, ['granted', 'granted', 'granted'], 1001)).told
    }),
    { numRuns: ofRuns(15) },
  )
  expect(told).toBeGreaterThan(ofRuns(80))
})

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
import { type Resource, type Walked, type WalkedPage, walk } from '../support/walks.ts'

const server = await serverFixture()

type Copy = Record<string, string | null>

/** A second, simple implementation of what a user sees: the names of households, or the households of accounts. */
function visible(
  resource: Resource,
  { users, households, accounts, access }: DirectoryRows,
  userId: string,
): Copy {
  const user = users.find(({ id }) => id === userId)
  const granted = (account: string) => access.some((x) => x.user === userId && x.account === account)
  const ofFirm = households.filter(({ firm }) => firm === user?.firm)
  if (resource === 'accounts') {
    const seen = accounts.filter(
      ({ id, household, status }) =>
        status === 'active' &&
        ofFirm.some((each) => each.id === household) &&
        (user?.sees === 'firm' || granted(id)),
    )
    return Object.fromEntries(seen.map(({ id, household }) => [id, household]))
  }
  const seen = ofFirm.filter(
    ({ id }) => user?.sees === 'firm' || accounts.some((a) => a.household === id && granted(a.id)),
  )
  return Object.fromEntries(seen.map(({ id, name }) => [id, name ?? null]))
}

/** Why the user does not see this id: a second, simple implementation. */
function reasonOf(
  resource: Resource,
  { users, households, accounts, access }: DirectoryRows,
  userId: string,
  id: string,
): string {
  const rows: { id: string }[] = resource === 'households' ? households : accounts
  if (!rows.some((row) => row.id === id))
    return resource === 'households' ? 'household_deleted' : 'account_deleted'
  const user = users.find((row) => row.id === userId)
  const account = resource === 'accounts' ? accounts.find((row) => row.id === id) : undefined
  const firm = households.find((row) => row.id === account?.household)?.firm
  const mayAccess = user?.sees === 'firm' || access.some((row) => row.user === userId && row.account === id)
  return account && firm === user?.firm && mayAccess ? 'account_closed' : 'access_ended'
}

/** What a copy holds of an entry of a page. */
const copied = ({ household_id, name }: WalkedPage['data'][number]) => household_id ?? name ?? null

/**
 * A partner that keeps a copy of what one user sees. It does a full sync first and after sync_expired, otherwise it reads only
 * changes.
 */
class Partner {
  readonly #resource: Resource
  readonly #accessToken: string
  copy: Copy = {}
  asOf: string | undefined
  fullSyncs = 0
  /** The number of entries and removed ids in all syncs of changes. */
  changeCount = 0

  constructor(resource: Resource, accessToken: string) {
    this.#resource = resource
    this.#accessToken = accessToken
  }

  async sync(limit: number, between?: () => Promise<unknown>): Promise<Walked> {
    if (this.asOf !== undefined) {
      const result = await this.#changes(limit, this.asOf, between)
      if (result) return result
    }
    this.fullSyncs += 1
    const result = await this.#readAllPages({ limit }, between)
    if (!result) return this.sync(limit, between)
    this.copy = Object.fromEntries(result.data.map((entry) => [entry.id, copied(entry)]))
    this.asOf = result.receipt.as_of
    return result
  }

  async #changes(
    limit: number,
    since: string,
    between?: () => Promise<unknown>,
  ): Promise<Walked | undefined> {
    const result = await this.#readAllPages({ limit, updated_since: since }, between)
    for (const { data, removed = [] } of result?.pages ?? []) {
      for (const entry of data) this.copy[entry.id] = copied(entry)
      for (const id of removed) delete this.copy[id]
      this.changeCount += data.length + removed.length
    }
    this.asOf = result?.receipt.as_of
    return result
  }

  /** @returns `undefined` if the sync has expired and has to start again */
  #readAllPages(
    query: Parameters<typeof walk>[2],
    between?: () => Promise<unknown>,
  ): Promise<Walked | undefined> {
    return walk(server, this.#accessToken, query, between, this.#resource).catch((error) => {
      if (String(error).includes('"code":"sync_expired"')) return undefined
      throw error
    })
  }
}

/** Imports that run one after the other. Each call of `advance` begins the next import or commits the one in progress. */
class Imports {
  readonly #client: pg.Client
  readonly #otherChanges: number
  readonly #waiting: Change[][]
  #pending: DirectoryRows | undefined
  rows: DirectoryRows
  /** The households and accounts that belonged to a firm at any time, as `firm id`. */
  readonly everOf = new Set<string>()

  constructor(client: pg.Client, rows: DirectoryRows, changes: Change[][], otherChanges: number) {
    this.#client = client
    this.rows = rows
    this.#waiting = [...changes]
    this.#otherChanges = otherChanges
  }

  async advance(): Promise<boolean> {
    const changes = this.#pending ? undefined : this.#waiting.shift()
    if (changes) {
      this.#pending = changes.reduce(changed, this.rows)
      const { households, accounts } = this.#pending
      for (const { id, firm } of households) this.everOf.add(`${firm} ${id}`)
      for (const { id, household } of accounts) {
        this.everOf.add(`${households.find((each) => each.id === household)?.firm} ${id}`)
      }
      await beginImport(this.#client, this.rows, this.#pending, this.#otherChanges)
      return true
    }
    if (!this.#pending) return false
    await this.#client.query('COMMIT')
    this.rows = this.#pending
    this.#pending = undefined
    return true
  }

  /** Commits the import in progress and runs all remaining ones. */
  async finish(): Promise<void> {
    while (await this.advance());
  }
}

const scenario = (users: number) =>
  fc.record({
    resource: fc.constantFrom<Resource[]>('households', 'accounts'),
    first: fc.array(directoryChange(users), { minLength: 40, maxLength: 80 }),
    imports: fc.array(fc.array(directoryChange(users), { minLength: 1, maxLength: 8 }), {
      minLength: 8,
      maxLength: 16,
    }),
    limit: fc.integer({ min: 1, max: 4 }),
    advances: fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
  })

/** How often each reason was given. */
const reasonsSeen: Record<string, number> = {}

type Scenario = typeof scenario extends (users: number) => fc.Arbitrary<infer S> ? S : never

async function runScenario(
  { resource, first, imports, limit, advances }: Scenario,
  sees: ('firm' | 'granted')[],
  otherChanges = 0,
) {
  const users = userIds.map((id, index) => ({ id, firm: 'f', sees: sees[index] ?? 'granted' }))
  const empty: DirectoryRows = { firms, users, households: [], accounts: [], access: [] }
  await replaceDirectory(server.database, empty)
  const tokens = await Promise.all(userIds.map((id) => accessTokenOf(server.database, id)))
  const partners = tokens.map((token) => new Partner(resource, token))
  await server.database.withConnection(async (client) => {
    const at = new Imports(client, empty, [first, ...imports], otherChanges)
    await at.advance()
    await at.advance()
    let turn = 0
    const between = async () => {
      if (advances[turn++ % advances.length]) await at.advance()
    }
    for (let round = 0; round < 3; round++) {
      if (round > 0) for (let step = 0; step < 4; step++) await at.advance()
      for (const partner of partners) {
        await partner.sync(limit, between)
        await between()
      }
    }
    await at.finish()
    for (const [index, partner] of partners.entries()) {
      const { data, removed, reasons } = await partner.sync(limit)
      const { id, firm } = at.rows.users.find((row) => row.id === userIds[index]) ?? { id: '', firm: '' }
      expect(partner.copy).toEqual(visible(resource, at.rows, id))
      for (const removedId of removed) {
        reasonsSeen[reasons[removedId] ?? ''] = (reasonsSeen[reasons[removedId] ?? ''] ?? 0) + 1
        expect(reasons[removedId]).toBe(reasonOf(resource, at.rows, id, removedId))
      }
      const ids = [...data.map((row) => row.id), ...removed]
      // An entry may appear once for each log that contains it.
      const logs = at.rows.users.find((row) => row.id === id)?.sees === 'firm' ? 1 : 2
      for (const one of ids) expect(ids.filter((other) => other === one).length).toBeLessThanOrEqual(logs)
      for (const removedId of removed)
        expect(removedId.startsWith('~') || at.everOf.has(`${firm} ${removedId}`)).toBe(true)
      expect(await partner.sync(limit)).toMatchObject({ data: [], removed: [] })
    }
  })
  return {
    changeCount: partners.map(({ changeCount }) => changeCount).reduce((one, other) => one + other),
    fullSyncs: partners.map(({ fullSyncs }) => fullSyncs),
  }
}

test('for any changes, also between pages, a copy that is updated by syncs finally equals what the user sees', async () => {
  let changeCount = 0
  await fc.assert(
    fc.asyncProperty(scenario(0), async (given) => {
      const outcome = await runScenario(given, ['firm', 'granted', 'granted'])
      expect(outcome.fullSyncs).toEqual([1, 1, 1])
      changeCount += outcome.changeCount
    }),
    { numRuns: ofRuns(40) },
  )
  expect(changeCount).toBeGreaterThan(ofRuns(300))
})

test('the same holds if roles and firms of users change; only then full syncs are repeated', async () => {
  let repeatedSyncs = 0
  await fc.assert(
    fc.asyncProperty(scenario(2), async (given) => {
      const { fullSyncs } = await runScenario(given, ['firm', 'granted', 'granted'])
      repeatedSyncs += Math.max(...fullSyncs) - 1
    }),
    { numRuns: ofRuns(25) },
  )
  expect(repeatedSyncs).toBeGreaterThan(ofRuns(5) - 1)
})

test('the same holds if many others change and the statement reads by the few that the user has access to', async () => {
  let changeCount = 0
  await fc.assert(
    fc.asyncProperty(scenario(0), async (given) => {
      changeCount += (await runScenario(given, ['granted', 'granted', 'granted'], 1001)).changeCount
    }),
    { numRuns: ofRuns(15) },
  )
  expect(changeCount).toBeGreaterThan(ofRuns(20))
})

test('more than one reason was given', () => {
  expect(Object.keys(reasonsSeen).length).toBeGreaterThan(1)
})

import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  listByRole,
  listHouseholds,
  listHouseholdsByNumber,
} from '../../src/households/list-households.sql.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { bearerOf } from '../support/bearer.ts'
import { query } from '../support/database.ts'
import type { DirectoryRows } from '../support/directory.ts'
import { type Change, changed, directoryChange } from '../support/directory-changes.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { accountsHeader, emptyDirectory, taken, usersHeader } from '../support/import.ts'
import { api } from '../support/journey.ts'
import { countedRanges, listed, useSmallRanges } from '../support/listings.ts'
import { ofRuns } from '../support/property-runs.ts'

const db = await databaseFixture()
const server = await serverFixture({ on: db })
const servers = { one: server, other: await serverFixture({ on: db }) }
beforeAll(() => useSmallRanges(db.database, 2))

const users = ['u', 'v']
const first: DirectoryRows = {
  firms: ['f', 'g'],
  users: [
    { id: 'u', firm: 'f', sees: 'firm' },
    { id: 'v', firm: 'f', sees: 'granted' },
  ],
  households: [],
  accounts: [],
  access: [],
}

/** The change, for the two users of this test, who stay in their firm: a move to another one would end their tokens. */
const change = directoryChange(1).map((given): Change => {
  if (given.kind !== 'user') return given
  return { kind: 'user', row: { ...given.row, id: given.row.id === 'u' ? 'u' : 'v', firm: 'f' } }
})

const csv = (header: string, lines: string[]) => [header.trim(), ...lines].join('\n')

function importRows(rows: DirectoryRows) {
  const access = rows.access.filter(({ user }) => users.includes(user))
  return taken(
    db.database,
    {
      'firms.csv': csv('id,name', ['f,F', 'g,G']),
      'roles.csv': csv('name,sees', ['sees-firm,firm', 'sees-granted,granted']),
      'users.csv': csv(
        usersHeader,
        rows.users.map(({ id, firm, sees }) => `${id},${firm},${id}@example.com,${id},sees-${sees},active,`),
      ),
      'households.csv': csv(
        'id,firm_id,name',
        rows.households.map(({ id, firm, name }) => `${id},${firm},${name ?? ''}`),
      ),
      'accounts.csv': csv(
        accountsHeader,
        rows.accounts.map(({ id, household }) => `${id},${household},,,,,,active,`),
      ),
      'account_access.csv': csv(
        'user_id,account_id',
        access.map(({ user, account }) => `${user},${account}`),
      ),
    },
    { atMost: 1000 },
  )
}

/** The client asks one of the servers for the page after its last one, or for any page. */
const read = fc.record({
  kind: fc.constant('read' as const),
  at: fc.constantFrom('one' as const, 'one' as const, 'one' as const, 'other' as const),
  user: fc.constantFrom(...users),
  page: fc.option(fc.integer({ min: 0, max: 9 }), { freq: 4 }),
  size: fc.constantFrom(1, 1, 2),
  name: fc.constantFrom(undefined, undefined, 'o'),
})
const sync = fc.record({
  kind: fc.constant('import' as const),
  changes: fc.array(change, { minLength: 1, maxLength: 4 }),
})
const scenario = fc.record({
  first: fc.array(change, { minLength: 30, maxLength: 60 }),
  steps: fc.array(fc.oneof({ weight: 6, arbitrary: read }, { weight: 1, arbitrary: sync }), {
    minLength: 30,
    maxLength: 60,
  }),
})

test('for any changes between the calls, on two servers in turn, a page by its number is the page of the model', async () => {
  let entries = 0
  await fc.assert(
    fc.asyncProperty(scenario, async ({ first: changes, steps }) => {
      await emptyDirectory(db.database)
      let rows = changes.reduce(changed, first)
      await importRows(rows)
      const tokens = new Map(
        await Promise.all(users.map(async (user) => [user, await accessTokenOf(db.database, user)] as const)),
      )
      const last = new Map<string, number>()
      for (const step of steps) {
        if (step.kind === 'import') {
          rows = step.changes.reduce(changed, rows)
          await importRows(rows)
          continue
        }
        const { at, user, size, name } = step
        const client = JSON.stringify([user, size, name])
        const page = step.page ?? (last.get(client) ?? -1) + 1
        const pattern = name ? `&name_pattern=${name}` : ''
        const path = `households?page=${page}&page_size=${size}${pattern}`
        const { body } = await api(servers[at], path, tokens.get(user))
        const found = listed(rows, user).filter((id) => {
          const household = rows.households.find((row) => row.id === id)
          return !name || household?.name?.includes(name)
        })
        const expected = found.slice(page * size, (page + 1) * size)
        expect(body, `${path} for ${user}`).toMatchObject(expected.map((id) => ({ id })))
        expect(body).toHaveLength(expected.length)
        // At the end, the client begins again.
        if (expected.length < size) last.delete(client)
        else last.set(client, page)
        entries += expected.length
      }
      for (const { households, counted } of await countedRanges(db.database)) expect(households).toBe(counted)
    }),
    // Without shrinking: each try runs many imports.
    { numRuns: ofRuns(30), endOnFailure: true },
  )
  expect(entries).toBeGreaterThan(ofRuns(100))
}, 120_000)

describe('a remembered place', () => {
  async function eightHouseholds(): Promise<DirectoryRows> {
    await emptyDirectory(db.database)
    const households = Array.from({ length: 9 }, (_, n) => ({
      id: `h${n}`,
      firm: n < 8 ? 'f' : 'g',
      name: 'one',
    }))
    const rows = {
      ...first,
      households,
      accounts: households.map(({ id }) => ({ id: `a-${id}`, household: id, status: 'active' })),
      access: ['h1', 'h3', 'h5', 'h7'].map((id) => ({ user: 'v', account: `a-${id}` })),
    }
    await importRows(rows)
    return rows
  }

  async function versionOf(token: string): Promise<string | null> {
    return (await db.database.listing.one(listHouseholds, [bearerOf(token).value, '', 1])).visibility_version
  }
  const entryIds = (entries: string | null) =>
    [...(entries ?? '').matchAll(/"id":"(\w+)"/g)].map(([, id]) => id)

  test('17: another caller’s place shows nothing: it is ignored, and the caller’s own households are counted', async () => {
    await eightHouseholds()
    const [ofU, ofV] = [await accessTokenOf(db.database, 'u'), await accessTokenOf(db.database, 'v')]
    const versionOfU = await versionOf(ofU)
    const readAt = (role: keyof typeof listByRole, token: string) =>
      db.database.listing.maybe(listByRole[role], [bearerOf(token).value, 'h6', 2, versionOfU])
    expect(entryIds((await readAt('firm', ofU))?.entries ?? null)).toEqual(['h7'])
    expect(await readAt('granted', ofV)).toBeUndefined()
    const counted = await db.database.listing.one(listHouseholdsByNumber, [bearerOf(ofV).value, 2, '1'])
    expect(entryIds(counted.entries)).toEqual(['h3', 'h5', 'h7'])
  })

  test.each([
    ['of the listing', ''],
    ['of a search', '&name_pattern=o'],
  ])(
    '%s is used by the next page, and no longer after an import that changed anything the user may see',
    async (_, search) => {
      const rows = await eightHouseholds()
      const token = await accessTokenOf(db.database, 'u')
      const ids = async (page: number) => {
        const { body } = await api(server, `households?page=${page}&page_size=2${search}`, token)
        return Array.isArray(body) ? body.map(({ id }) => id) : body
      }
      expect(await ids(0)).toEqual(['h0', 'h1'])
      // Not an import: the version stays. So the next answer shows that the place was used.
      await query(
        db.database,
        `DELETE FROM accounts WHERE household_id = 'h0'; DELETE FROM households WHERE id = 'h0'`,
      )
      expect(await ids(1)).toEqual(['h2', 'h3'])
      const households = rows.households.filter(({ id }) => id !== 'h1')
      const accounts = rows.accounts.filter(({ household }) => household !== 'h1')
      const access = rows.access.filter(({ account }) => account !== 'a-h1')
      await importRows({ ...rows, households, accounts, access })
      expect(await ids(2)).toEqual(['h5', 'h6'])
    },
  )
})

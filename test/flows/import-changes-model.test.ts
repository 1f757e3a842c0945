import fc from 'fast-check'
import { expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { databaseFixture } from '../support/fixtures.ts'
import { accountsHeader, emptyDirectory, type ImportFiles, taken, usersHeader } from '../support/import.ts'
import { ofRuns } from '../support/property-runs.ts'

const db = await databaseFixture()

const firms = ['f1', 'f2']
const roles = ['principal', 'advisor']
const users = ['u1', 'u2', 'u3']
const households = ['h1', 'h2', 'h3']
const accounts = ['a1', 'a2', 'a3', 'a4']

/** The state of the platform after an import. `undefined` means that the row does not exist. */
type World = {
  sees: Record<string, 'firm' | 'granted'>
  users: Record<string, { firm: string; role: string } | undefined>
  households: Record<string, { firm: string; name: string } | undefined>
  accounts: Record<string, { household: string; name: string; status: string } | undefined>
  access: [user: string, account: string][]
}

function each<T>(keys: string[], value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  return fc.record(Object.fromEntries(keys.map((key) => [key, value])))
}

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 4 })

const world: fc.Arbitrary<World> = fc.record({
  sees: each(roles, fc.constantFrom('firm' as const, 'granted' as const, 'granted' as const)),
  users: each(users, maybe(fc.record({ firm: fc.constantFrom(...firms), role: fc.constantFrom(...roles) }))),
  households: each(
    households,
    maybe(fc.record({ firm: fc.constantFrom(...firms), name: fc.constantFrom('x', 'y') })),
  ),
  accounts: each(
    accounts,
    maybe(
      fc.record({
        household: fc.constantFrom(...households),
        name: fc.constantFrom('x', 'y'),
        status: fc.constantFrom('active', 'active', 'closed'),
      }),
    ),
  ),
  access: fc.uniqueArray(fc.tuple(fc.constantFrom(...users), fc.constantFrom(...accounts)), {
    selector: String,
  }),
})

/** Each step changes only some parts of the previous world. Most imports therefore leave most rows unchanged. */
const steps = fc.array(
  fc.record({
    next: world,
    parts: fc.subarray(['sees', 'users', 'households', 'accounts', 'access'] as const),
  }),
  { minLength: 2, maxLength: 5 },
)

function present<T>(rows: Record<string, T | undefined>): [string, T][] {
  return Object.entries(rows).flatMap(([id, row]) => (row ? [[id, row] as [string, T]] : []))
}

function csv(header: string, rows: string[]): string {
  return [header.trim(), ...rows].join('\n')
}

/** The six files of a world, without rows that would refer to missing rows. */
function filesOf(world: World): ImportFiles {
  const accounts = present(world.accounts).filter(([, { household }]) => world.households[household])
  const access = world.access.filter(
    ([user, account]) => world.users[user] && accounts.some(([id]) => id === account),
  )
  return {
    'firms.csv': csv('id,name', ['f1,First', 'f2,Second']),
    'roles.csv': csv('name,sees', Object.entries(world.sees).map(String)),
    'users.csv': csv(
      usersHeader,
      present(world.users).map(
        ([id, { firm, role }]) => `${id},${firm},${id}@example.com,${id},${role},active,`,
      ),
    ),
    'households.csv': csv(
      'id,firm_id,name',
      present(world.households).map(([id, { firm, name }]) => `${id},${firm},${name}`),
    ),
    'accounts.csv': csv(
      accountsHeader,
      accounts.map(([id, { household, name, status }]) => `${id},${household},${name},,,,,${status},`),
    ),
    'account_access.csv': csv('user_id,account_id', access.map(String)),
  }
}

type Visibility = {
  user_id: string
  firm_id: string
  sees: string
  sees_since: Date
  shown: Record<string, string>
}

/** The households and accounts that each user sees. */
function visibilities(): Promise<Visibility[]> {
  return query<Visibility>(
    db.database,
    `SELECT u.id AS user_id, u.firm_id, r.sees, u.sees_since,
            (SELECT coalesce(jsonb_object_agg(h.id, h.json), '{}') FROM households h
              WHERE h.firm_id = u.firm_id AND (r.sees = 'firm' OR EXISTS (
                SELECT FROM account_access x JOIN accounts a ON a.id = x.account_id
                 WHERE x.user_id = u.id AND a.household_id = h.id)))
            || (SELECT coalesce(jsonb_object_agg(a.id, a.json), '{}') FROM accounts a JOIN households h ON h.id = a.household_id
              WHERE a.status = 'active' AND h.firm_id = u.firm_id AND (r.sees = 'firm' OR EXISTS (
                SELECT FROM account_access x WHERE x.user_id = u.id AND x.account_id = a.id))) AS shown
       FROM users u JOIN roles r ON r.name = u.role ORDER BY u.id`,
  )
}

type Firm = { id: string; changed_at: Date; content: unknown }

/** Everything that users of each firm may see, and the access rows that decide who sees it. */
function firmContents(): Promise<Firm[]> {
  return query<Firm>(
    db.database,
    `SELECT f.id, f.changed_at, jsonb_build_array(
              (SELECT jsonb_agg(to_jsonb(h) ORDER BY h.id) FROM households h WHERE h.firm_id = f.id),
              (SELECT jsonb_agg(to_jsonb(a) ORDER BY a.id) FROM accounts a JOIN households h ON h.id = a.household_id
                WHERE h.firm_id = f.id AND a.status = 'active'),
              (SELECT jsonb_agg(to_jsonb(x) ORDER BY x.user_id, x.account_id)
                 FROM account_access x JOIN users u ON u.id = x.user_id WHERE u.firm_id = f.id)) AS content
       FROM firms f ORDER BY f.id`,
  )
}

/** The households and accounts that the change logs name for this user after `instant`. */
async function logged({ user_id, firm_id, sees }: Visibility, instant: Date): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db.database,
    `SELECT household_id AS id FROM household_changes WHERE firm_id = $1 AND changed_at > $3
      UNION SELECT household_id FROM access_changes WHERE user_id = $2 AND changed_at > $3 AND $4 = 'granted'
      UNION SELECT account_id FROM account_changes WHERE firm_id = $1 AND changed_at > $3
      UNION SELECT account_id FROM account_access_changes WHERE user_id = $2 AND changed_at > $3 AND $4 = 'granted'`,
    [firm_id, user_id, instant, sees],
  )
  return rows.map(({ id }) => id)
}

function latest(firms: Firm[]): Date {
  return new Date(Math.max(...firms.map((firm) => firm.changed_at.getTime())))
}

function different(before: Visibility, after: Visibility): string[] {
  return [...households, ...accounts].filter((id) => before.shown[id] !== after.shown[id])
}

test('after any series of imports, the change logs name every household and account that changed for a user', async () => {
  await fc.assert(
    fc.asyncProperty(world, steps, async (first, steps) => {
      await emptyDirectory(db.database)
      let current = first
      await taken(db.database, filesOf(current))
      expect(
        await query(
          db.database,
          `SELECT FROM household_changes UNION ALL SELECT FROM access_changes
            UNION ALL SELECT FROM account_changes UNION ALL SELECT FROM account_access_changes`,
        ),
      ).toEqual([])
      for (const { next, parts } of steps) {
        const [visibleBefore, firmsBefore] = [await visibilities(), await firmContents()]
        const instant = latest(firmsBefore)
        for (const part of parts) current = { ...current, [part]: next[part] }
        await taken(db.database, filesOf(current), { atMost: 1000 })
        const [visibleAfter, firmsAfter] = [await visibilities(), await firmContents()]

        for (const after of visibleAfter) {
          const before = visibleBefore.find(({ user_id }) => user_id === after.user_id)
          if (!before) continue
          const same = before.firm_id === after.firm_id && before.sees === after.sees
          if (!same) expect(after.sees_since > instant).toBe(true)
          if (after.sees_since > instant) continue
          expect(await logged(after, instant)).toEqual(expect.arrayContaining(different(before, after)))
        }
        for (const [place, { changed_at, content }] of firmsAfter.entries()) {
          const before = firmsBefore[place]
          const users = (all: Visibility[]) => all.filter(({ firm_id }) => firm_id === firmsAfter[place]?.id)
          const shown = (all: Visibility[]) =>
            JSON.stringify(users(all).map(({ user_id, sees }) => [user_id, sees]))
          if (JSON.stringify(before?.content) !== JSON.stringify(content))
            expect(changed_at > instant).toBe(true)
          else if (
            shown(visibleBefore) === shown(visibleAfter) &&
            JSON.stringify(visibleBefore) === JSON.stringify(visibleAfter)
          )
            expect(changed_at).toEqual(before?.changed_at)
        }
      }
    }),
    { numRuns: ofRuns(25) },
  )
}, 240_000)

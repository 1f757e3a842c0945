import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { explainAccess } from '../../src/explain/explain-access.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'

const server = await serverFixture({
  users: [
    'ada',
    { id: 'bob', sees: 'granted', access: ['a1', 'a3'] },
    { id: 'cleo', sees: 'granted', access: ['a2'] },
    { id: 'dan', status: 'disabled' },
    { id: 'eve', sees: 'granted' },
  ],
  households: ['h1', 'h2', 'empty', { id: 'far', firm: 'firm-2' }],
  accounts: [
    { id: 'a1', household: 'h1' },
    { id: 'a2', household: 'h2', status: 'closed' },
    { id: 'a3', household: 'far' },
  ],
})
const { database } = server
const explain = (user: string, household: string) => explainAccess(database, user, household)

describe('each case is explained', () => {
  test.for([
    ['ada', 'h1', 'visible_by_role', /the role sees-firm shows all households of the firm firm-1/],
    ['ada@example.com', 'h1', 'visible_by_role', /^ada sees h1/],
    ['bob', 'h1', 'visible_by_access', /has access to 1 account of it\.$/],
    ['cleo', 'h2', 'visible_by_access', /None of these accounts is active/],
    [
      'bob',
      'far',
      'other_firm',
      /of the firm firm-2, the user of firm-1.*access rows for 1 account of it have no effect/,
    ],
    ['ada', 'far', 'other_firm', /of firm-1\.$/],
    ['eve', 'h1', 'no_access', /access to none of its accounts/],
    ['eve', 'empty', 'no_access', /access to none of its accounts/],
    ['dan', 'h1', 'user_disabled', /disabled by the import\. An active user would see the household/],
    ['nobody', 'h1', 'unknown_user', /There is no user "nobody"/],
    ['ada', 'nothing', 'unknown_household', /There is no household "nothing"/],
  ] as const)('%s and %s: %s', async ([user, household, kind, reason]) => {
    const explained = await explain(user, household)
    expect(explained).toMatchObject({
      kind,
      visible: kind.startsWith('visible'),
      reason: expect.stringMatching(reason),
      change: expect.stringMatching(/\.$/),
    })
  })

  test('since when: role and firm, and the last change of the household and of the access rows', async () => {
    await query(database, `INSERT INTO household_changes VALUES ('firm-1', 'h1', '2026-11-01T10:00:00Z')`)
    await query(database, `INSERT INTO access_changes VALUES ('bob', 'h1', '2026-11-02T10:00:00Z')`)
    const { since } = await explain('bob', 'h1')
    expect(since).toMatch(
      /^Role and firm of bob are unchanged since .*changed last: 2026-11-01T10:00:00\.000Z\. .*last: 2026-11-02T10:00:00\.000Z\.$/,
    )
    expect((await explain('bob', 'far')).since).toContain('not in the last 90 days')
  })

  test('of each account, whether it is shown, and why', async () => {
    expect((await explain('cleo', 'h2')).accounts).toEqual([
      {
        id: 'a2',
        status: 'closed',
        has_access: true,
        shown: false,
        reason: 'Not shown: its status is closed, and only active accounts are shown.',
      },
    ])
    expect((await explain('bob', 'h1')).accounts).toMatchObject([{ id: 'a1', shown: true }])
  })
})

test('a household is explained as visible exactly if the API shows it, for any directory', async () => {
  const firm = fc.constantFrom('f1', 'f2')
  const directory = fc.record({
    users: fc.array(
      fc.record({
        firm,
        sees: fc.constantFrom('firm' as const, 'granted' as const),
        active: fc.boolean(),
        access: fc.uniqueArray(fc.nat(5), { maxLength: 4 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    households: fc.array(firm, { minLength: 1, maxLength: 4 }),
    accounts: fc.array(fc.record({ household: fc.nat(3), active: fc.boolean() }), {
      minLength: 1,
      maxLength: 6,
    }),
  })
  let round = 0
  await fc.assert(
    fc.asyncProperty(directory, async ({ users, households, accounts }) => {
      round += 1
      const id = (kind: string, n: number) => `${round}-${kind}-${n}`
      await seed(database, {
        households: households.map((firm, n) => ({ id: id('h', n), firm })),
        accounts: accounts.map(({ household, active }, n) => ({
          id: id('a', n),
          household: id('h', household % households.length),
          status: active ? 'active' : 'closed',
        })),
        users: users.map(({ firm, sees, active, access }, n) => ({
          id: id('u', n),
          firm,
          sees,
          status: active ? 'active' : 'disabled',
          access: access.filter((account) => account < accounts.length).map((account) => id('a', account)),
        })),
      })
      for (const n of users.keys()) {
        const accessToken = await accessTokenOf(database, id('u', n))
        for (const h of households.keys()) {
          const { status, body } = await api(server, `households/${id('h', h)}/accounts`, accessToken)
          const shown = status === 200 && Array.isArray(body) ? body.map((account) => account.id) : []
          const explained = await explain(id('u', n), id('h', h))
          expect(explained.visible).toBe(status === 200)
          expect(explained.accounts.filter((account) => account.shown).map((account) => account.id)).toEqual(
            shown,
          )
        }
      }
    }),
    { numRuns: 15 },
  )
})

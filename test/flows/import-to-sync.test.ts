import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { query } from '../support/database.ts'
import { byteOrder } from '../support/directory-rows.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { accountsHeader, emptyDirectory, taken, usersHeader } from '../support/import.ts'
import { api } from '../support/journey.ts'
import { ofRuns } from '../support/property-runs.ts'
import { walk } from '../support/walks.ts'

const db = await databaseFixture()
const server = await serverFixture({ on: db })

/** A platform's state: the firm and name of each household, and whether the advisor has access to its one account. */
type State = { id: string; firm: string; name: string; access: boolean }[]

const state = fc
  .uniqueArray(fc.constantFrom('h1', 'h2', 'h3', 'h4', 'h5', 'h6'), { minLength: 1 })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        fc.record({
          id: fc.constant(id),
          firm: fc.constantFrom('f1', 'f1', 'f1', 'f2'),
          name: fc.constantFrom('One', 'Two'),
          access: fc.boolean(),
        }),
      ),
    ),
  )

const fixed = {
  'firms.csv': 'id,name\nf1,First\nf2,Second\n',
  'roles.csv': 'name,sees\nprincipal,firm\nadvisor,granted\n',
  'users.csv': `${usersHeader}pia,f1,pia@example.com,Pia,principal,active,\nadam,f1,adam@example.com,Adam,advisor,active,\n`,
}

function filesOf(state: State) {
  const lines = (rows: string[]) => rows.map((row) => `${row}\n`).join('')
  return {
    ...fixed,
    'households.csv': `id,firm_id,name\n${lines(state.map(({ id, firm, name }) => `${id},${firm},${name}`))}`,
    'accounts.csv': `${accountsHeader}${lines(state.map(({ id }) => `a-${id},${id},,,,,,active,`))}`,
    'account_access.csv': `user_id,account_id\n${lines(
      state.flatMap(({ id, access }) => (access ? [`adam,a-${id}`] : [])),
    )}`,
  }
}

function visible(state: State, user: 'pia' | 'adam') {
  return state
    .filter(({ firm, access }) => firm === 'f1' && (user === 'pia' || access))
    .map(({ id, name }) => ({ id, name }))
    .sort((a, b) => byteOrder(a.id, b.id))
}

/** A partner's copy of the households, and the ETag of the page that the partner read last. */
type Copy = { user: 'pia' | 'adam'; households: Map<string, { id: string }>; asOf: string; tag: string }

test('after any imports with pruning, copies that are updated by syncs and by ETags equal what the user sees', async () => {
  let changes = 0
  await fc.assert(
    fc.asyncProperty(fc.array(state, { minLength: 2, maxLength: 5 }), async ([first = [], ...later]) => {
      await emptyDirectory(db.database)
      await query(db.database, 'TRUNCATE household_changes, access_changes')
      await taken(db.database, filesOf(first))
      const copies = await Promise.all((['pia', 'adam'] as const).map(newCopy))
      for (const next of later) {
        await taken(db.database, filesOf(next), { atMost: 1000 })
        for (const copy of copies) changes += await bringUpToDate(copy, visible(next, copy.user))
      }
    }),
    { numRuns: ofRuns(25) },
  )
  expect(changes).toBeGreaterThan(ofRuns(50))
})

async function newCopy(user: 'pia' | 'adam'): Promise<Copy> {
  const token = await accessTokenOf(db.database, user)
  const { data, receipt } = await walk(server, token, { limit: 2 })
  const { headers } = await api(server, 'households', token)
  const households = new Map(data.map((household) => [household.id, household]))
  return { user, households, asOf: receipt.as_of, tag: headers.get('etag') ?? '' }
}

/** @returns the number of changes that the sync reported */
async function bringUpToDate(copy: Copy, expected: { id: string }[]): Promise<number> {
  const token = await accessTokenOf(db.database, copy.user)
  const { data, removed, receipt } = await walk(server, token, { updated_since: copy.asOf, limit: 2 })
  for (const household of data) copy.households.set(household.id, household)
  for (const id of removed) copy.households.delete(id)
  copy.asOf = receipt.as_of
  const known = [...copy.households.values()].sort((a, b) => byteOrder(a.id, b.id))
  expect(known).toEqual(expected)

  const { status, headers, body } = await api(server, 'households', token, { 'if-none-match': copy.tag })
  if (status === 200) expect(body).toEqual(expected)
  else expect({ status, changes: data.length + removed.length }).toEqual({ status: 304, changes: 0 })
  copy.tag = headers.get('etag') ?? ''
  return data.length + removed.length
}

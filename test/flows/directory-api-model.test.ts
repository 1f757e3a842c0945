import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { newKey } from '../support/admin.ts'
import { query } from '../support/database.ts'
import { type ChangeRow, directoryCaller, remove, upsert } from '../support/directory-api.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { accountsHeader, emptyDirectory, type ImportFiles, taken, usersHeader } from '../support/import.ts'
import { ofRuns } from '../support/property-runs.ts'
import { type Query, walk } from '../support/walks.ts'

// Two databases: one is changed by API, the other by imports of the whole model with --prune.
const server = await serverFixture()
const imported = await databaseFixture()
const send = directoryCaller(server, await newKey(server, ['directory:write']))

type Types = 'firm' | 'role' | 'user' | 'household' | 'account' | 'access'
/** The rows of each type by key. */
type Model = Record<Types, Record<string, Record<string, string>>>

const order: Types[] = ['firm', 'role', 'user', 'household', 'account', 'access']
const keyOf = (type: Types, row: Record<string, string>) =>
  (type === 'access' ? `${row.user_id} ${row.account_id}` : type === 'role' ? row.name : row.id) ?? ''

const one = (...ids: string[]) => fc.constantFrom(...ids)
const household = one('h1', 'h2', 'h3', 'h4')
const account = one('a1', 'a2', 'a3', 'a4')
const user = one('u1', 'u2', 'u3')

const rows = {
  role: fc.record({ name: one('principal', 'advisor'), sees: one('firm', 'granted', 'granted') }),
  user: fc.record({ id: user, firm_id: one('f1', 'f1', 'f2'), role: one('principal', 'advisor') }),
  household: fc.record({ id: household, firm_id: one('f1', 'f1', 'f2'), name: one('x', 'y', 'z') }),
  account: fc.record({ id: account, household_id: household, status: one('active', 'active', 'closed') }),
  access: fc.record({ user_id: user, account_id: account }),
}
const weights = { role: 1, user: 2, household: 6, account: 6, access: 6 }

type Step = { type: keyof typeof rows; row: Record<string, string>; deletes: boolean }
const step: fc.Arbitrary<Step> = fc.oneof(
  ...(Object.keys(rows) as (keyof typeof rows)[]).map((type) => ({
    weight: weights[type],
    arbitrary: fc.record({
      type: fc.constant(type),
      row: rows[type],
      deletes: type === 'role' ? fc.constant(false) : fc.boolean(),
    }),
  })),
)
const batches = fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 8, maxLength: 12 })

const complete = (type: Types, row: Record<string, string>): Record<string, string> =>
  type === 'user' ? { ...row, email: `${row.id}@example.com`, name: row.id ?? '', status: 'active' } : row

const start: Model = {
  firm: { f1: { id: 'f1', name: 'f1' }, f2: { id: 'f2', name: 'f2' } },
  role: { principal: { name: 'principal', sees: 'firm' }, advisor: { name: 'advisor', sees: 'granted' } },
  user: Object.fromEntries(
    ['u1', 'u2', 'u3'].map((id) => [
      id,
      complete('user', { id, firm_id: 'f1', role: id === 'u1' ? 'principal' : 'advisor' }),
    ]),
  ),
  household: {},
  account: {},
  access: {},
}

/** The model after a batch: the last step of a key wins. Null if a row would refer to one that is missing. */
function after(model: Model, batch: Step[]): Model | null {
  const next = structuredClone(model)
  for (const { type, row, deletes } of batch) {
    if (deletes) delete next[type][keyOf(type, row)]
    else next[type][keyOf(type, row)] = complete(type, row)
  }
  const exists = (type: Types, key: string | undefined) => next[type][key ?? ''] !== undefined
  const refers = {
    user: (row: Record<string, string>) => exists('firm', row.firm_id) && exists('role', row.role),
    household: (row: Record<string, string>) => exists('firm', row.firm_id),
    account: (row: Record<string, string>) => exists('household', row.household_id),
    access: (row: Record<string, string>) => exists('user', row.user_id) && exists('account', row.account_id),
  }
  const isWhole = Object.entries(refers).every(([type, check]) =>
    Object.values(next[type as keyof typeof refers]).every(check),
  )
  return isWhole ? next : null
}

/** The rows of a batch, each key once, in another order than they were made. */
function rowsOf(batch: Step[]): ChangeRow[] {
  const last = new Map(batch.map((step) => [`${step.type} ${keyOf(step.type, step.row)}`, step]))
  return [...last.values()].reverse().map(({ type, row, deletes }) => {
    const { id, name, user_id, account_id } = row
    const key = type === 'access' ? { user_id, account_id } : type === 'role' ? { name } : { id }
    return deletes ? remove(type, key) : upsert(type, complete(type, row))
  })
}

function filesOf(model: Model): ImportFiles {
  const csv = (header: string, type: Types) => {
    const columns = header.trim().split(',')
    const lines = Object.values(model[type]).map((row) => columns.map((name) => row[name] ?? '').join(','))
    return [header.trim(), ...lines].join('\n')
  }
  return {
    'firms.csv': csv('id,name', 'firm'),
    'roles.csv': csv('name,sees', 'role'),
    'users.csv': csv(usersHeader, 'user'),
    'households.csv': csv('id,firm_id,name', 'household'),
    'accounts.csv': csv(accountsHeader, 'account'),
    'account_access.csv': csv('user_id,account_id', 'access'),
  }
}

const tables = {
  firms: 'id, name',
  roles: 'name, sees',
  users: 'id, firm_id, email_folded, role, status',
  households: 'id, firm_id, name',
  accounts: 'id, household_id, firm_id, status, json',
  account_access: 'user_id, household_id, account_id, firm_id',
  listing_ranges: 'firm_id, user_id, after_id, households',
}

/** All rows, and all that the change logs have, with the number of the step instead of the instant. */
async function stored(database: typeof imported.database): Promise<unknown> {
  const content = await Promise.all(
    Object.entries(tables).map(([table, columns]) =>
      query(database, `SELECT ${columns} FROM ${table} ORDER BY ${columns}`),
    ),
  )
  const logs = await query(
    database,
    `SELECT what, key, entry, dense_rank() OVER (ORDER BY changed_at) AS place FROM (
       SELECT 'household' AS what, firm_id AS key, household_id AS entry, changed_at FROM household_changes
        UNION ALL SELECT 'access', user_id, household_id, changed_at FROM access_changes
        UNION ALL SELECT 'account', firm_id, account_id, changed_at FROM account_changes
        UNION ALL SELECT 'account access', user_id, account_id, changed_at FROM account_access_changes
        UNION ALL SELECT 'firm', id, '', changed_at FROM firms
        UNION ALL SELECT 'user', id, '', sees_since FROM users) AS logged
      ORDER BY what, key, entry`,
  )
  return { content, logs }
}

/** What a user sees, by the model. */
function visible(model: Model, userId: string): Record<string, string> {
  const { firm_id: firm, role = '' } = model.user[userId] ?? {}
  const seesFirm = model.role[role]?.sees === 'firm'
  const granted = Object.values(model.access)
    .filter(({ user_id }) => user_id === userId)
    .map(({ account_id = '' }) => model.account[account_id]?.household_id)
  return Object.fromEntries(
    Object.values(model.household)
      .filter(({ id, firm_id }) => firm_id === firm && (seesFirm || granted.includes(id)))
      .map(({ id = '', name = '' }) => [id, name]),
  )
}

/** A partner's copy of what one user sees. */
class Copy {
  readonly #token: string
  #names: Record<string, string> = {}
  #asOf: string | undefined

  constructor(token: string) {
    this.#token = token
  }

  async sync(): Promise<Record<string, string>> {
    const query: Query = { limit: 2, ...(this.#asOf && { updated_since: this.#asOf }) }
    const result = await walk(server, this.#token, query).catch((error) => {
      if (String(error).includes('"code":"sync_expired"')) return undefined
      throw error
    })
    if (!result || this.#asOf === undefined) this.#names = {}
    this.#asOf = result?.receipt.as_of
    if (!result) return this.sync()
    for (const { id, name = '' } of result.data) this.#names[id] = name
    for (const id of result.removed) delete this.#names[id]
    return this.#names
  }
}

test('any batches by API store the same rows and log the same changes as imports; a partner that syncs changes ends with the model', async () => {
  const outcomes = { stored: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(batches, async (given) => {
      await Promise.all([emptyDirectory(server.database), emptyDirectory(imported.database)])
      await taken(imported.database, filesOf(start))
      await send(order.flatMap((type) => Object.values(start[type]).map((row) => upsert(type, row))))
      const copies = new Map<string, Copy>()
      for (const id of Object.keys(start.user)) {
        copies.set(id, new Copy(await accessTokenOf(server.database, id)))
      }
      let model = start
      for (const batch of given) {
        const before = await stored(server.database)
        const next = after(model, batch)
        const { status } = await send(rowsOf(batch))
        expect({ status, batch }).toEqual({ status: next ? 200 : 422, batch })
        outcomes[next ? 'stored' : 'refused']++
        if (next === null) {
          expect(await stored(server.database)).toEqual(before)
          continue
        }
        // A user who is deleted or moves loses the grants, also if the same id comes back.
        for (const id of copies.keys()) {
          if (next.user[id]?.firm_id !== model.user[id]?.firm_id) copies.delete(id)
        }
        model = next
        await taken(imported.database, filesOf(model), { atMost: 1000 })
        expect(await stored(server.database)).toEqual(await stored(imported.database))
        for (const [id, copy] of copies) expect(await copy.sync()).toEqual(visible(model, id))
      }
    }),
    { numRuns: ofRuns(24) },
  )
  expect(outcomes.stored).toBeGreaterThan(ofRuns(10))
  expect(outcomes.refused).toBeGreaterThan(ofRuns(5))
}, 240_000)

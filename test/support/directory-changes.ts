import fc from 'fast-check'
import type { DirectoryRows } from './directory.ts'

export const firms = ['f', 'g']
export const userIds = ['u', 'v', 'w']

const firm = fc.constantFrom('f', 'f', 'f', 'g')
const user = fc.constantFrom(...userIds)
const household = fc.constantFrom(...Array.from({ length: 9 }, (_, index) => `h${index}`))
const account = fc.constantFrom(...Array.from({ length: 7 }, (_, index) => `a${index}`))

const changes = {
  /** Is created, renamed or moved to another firm. */
  household: fc.record({ id: household, firm, name: fc.constantFrom('one', 'two', 'three', null) }),
  gone: fc.record({ id: household }),
  /** Is opened, closed, or moved to another household. */
  account: fc.record({ id: account, household, status: fc.constantFrom('active', 'active', 'closed') }),
  /** Is granted or revoked. */
  access: fc.record({ user, account }),
  user: fc.record({ id: user, firm, sees: fc.constantFrom('firm' as const, 'granted' as const) }),
}
type Changes = typeof changes
type Of<Kind extends keyof Changes> =
  Changes[Kind] extends fc.Arbitrary<infer Row> ? { kind: Kind; row: Row } : never
export type Change = { [Kind in keyof Changes]: Of<Kind> }[keyof Changes]

/** A change that an import may bring. `users` is the weight of changes to a user's role or firm. */
export function directoryChange(users: number): fc.Arbitrary<Change> {
  return fc.oneof(
    { weight: 5, arbitrary: changes.household.map((row) => ({ kind: 'household' as const, row })) },
    { weight: 1, arbitrary: changes.gone.map((row) => ({ kind: 'gone' as const, row })) },
    { weight: 4, arbitrary: changes.account.map((row) => ({ kind: 'account' as const, row })) },
    { weight: 6, arbitrary: changes.access.map((row) => ({ kind: 'access' as const, row })) },
    { weight: users, arbitrary: changes.user.map((row) => ({ kind: 'user' as const, row })) },
  )
}

/** The directory after the change. An impossible change leaves it as it is. */
export function changed(rows: DirectoryRows, { kind, row }: Change): DirectoryRows {
  const others = <Row extends { id: string }>(list: Row[], { id }: { id: string }) =>
    list.filter((each) => each.id !== id)
  switch (kind) {
    case 'household':
      return { ...rows, households: [...others(rows.households, row), row] }
    case 'gone': {
      const accounts = rows.accounts.filter((each) => each.household !== row.id)
      const access = rows.access.filter((each) => accounts.some(({ id }) => id === each.account))
      return { ...rows, households: others(rows.households, row), accounts, access }
    }
    case 'account':
      if (!rows.households.some(({ id }) => id === row.household)) return rows
      return { ...rows, accounts: [...others(rows.accounts, row), row] }
    case 'access': {
      if (!rows.accounts.some(({ id }) => id === row.account)) return rows
      const rest = rows.access.filter((each) => each.user !== row.user || each.account !== row.account)
      return { ...rows, access: rest.length < rows.access.length ? rest : [...rest, row] }
    }
    case 'user':
      return { ...rows, users: [...others(rows.users, row), row] }
  }
}

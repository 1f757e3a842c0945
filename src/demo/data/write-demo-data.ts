import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { householdNames } from './household-names.ts'
import { type DemoLogin, firms, people, roles } from './people.ts'

type Row = string[]
type Household = { id: string; firm: string; name: string; numberInFirm: number }
type Account = { id: string; household: Household; row: Row }

/** Writes the six files of an import. Every call writes the same data. @returns the logins, and what each one sees */
export async function writeDemoData(directory: string): Promise<DemoLogin[]> {
  const households = makeHouseholds()
  const accounts = households.flatMap(makeAccounts)
  const files: [string, string, Row[]][] = [
    ['firms.csv', 'id,name', firms.map(({ id, name }) => [id, name])],
    ['roles.csv', 'name,sees', roles.map(({ name, sees }) => [name, sees])],
    [
      'users.csv',
      'id,firm_id,email,name,role,status,password',
      people.map((user) => [
        user.id,
        user.firm,
        user.email,
        user.name,
        user.role,
        user.status,
        user.password,
      ]),
    ],
    ['households.csv', 'id,firm_id,name', households.map(({ id, firm, name }) => [id, firm, name])],
    [
      'accounts.csv',
      'id,household_id,name,type,number_masked,custodian,currency,status,opened_on',
      accounts.map(({ row }) => row),
    ],
    ['account_access.csv', 'user_id,account_id', makeAccess(accounts)],
  ]
  await Promise.all(
    files.map(([file, header, rows]) =>
      writeFile(join(directory, file), [header, ...rows.map(csv), ''].join('\n')),
    ),
  )
  return people
    .filter(({ status }) => status === 'active')
    .map(({ email, password, name, sees }) => ({ email, password, name, sees }))
}

/** Northbridge has more than 200 households, Keßler more than 100, Aurora fewer: a page has up to 100. */
function makeHouseholds(): Household[] {
  const sizes = new Map<string, number>()
  return householdNames().map((name, index) => {
    const firm =
      ['northbridge', 'kessler', 'northbridge', 'kessler', 'northbridge', 'aurora', 'northbridge'][
        index % 7
      ] ?? ''
    const numberInFirm = sizes.get(firm) ?? 0
    sizes.set(firm, numberInFirm + 1)
    return { id: `hh-${String(index + 1).padStart(4, '0')}`, firm, name, numberInFirm }
  })
}

const kinds = [
  ['Current account', 'checking', 'Harbour Bank'],
  ['Portfolio', 'brokerage', 'Meridian Custody'],
  ['Retirement', 'pension', 'Säntis Depotbank'],
  ['Savings', 'savings', ''],
]
const currencies = ['EUR', 'USD', 'GBP', 'CHF', 'JPY']

/** One to four accounts for each household, none for every 23rd household. Every sixth account is closed. */
function makeAccounts(household: Household, index: number): Account[] {
  const count = index % 23 === 22 ? 0 : 1 + ((index * 7) % 4)
  return Array.from({ length: count }, (_, which) => {
    const seed = index * 4 + which
    const [name = '', type = '', custodian = ''] = kinds[which] ?? []
    const masked = seed % 11 === 10 ? '' : `•••• ${String((seed * 7919) % 10_000).padStart(4, '0')}`
    const day = new Date(Date.UTC(2004, 0, 1 + ((seed * 37) % 7300))).toISOString().slice(0, 10)
    const id = `ac-${household.id.slice(3)}-${which + 1}`
    const currency = currencies[index % currencies.length] ?? ''
    const status = seed % 6 === 5 ? 'closed' : 'active'
    return { id, household, row: [id, household.id, name, type, masked, custodian, currency, status, day] }
  })
}

/** Access to all accounts in the user's households, except the second account of every fourth household. */
function makeAccess(accounts: Account[]): Row[] {
  return people.flatMap((user) =>
    accounts
      .filter(({ household }) => household.firm === user.firm && user.access(household.numberInFirm))
      .filter(({ id, household }) => !(id.endsWith('-2') && household.numberInFirm % 4 === 0))
      .map(({ id }) => [user.id, id]),
  )
}

function csv(row: Row): string {
  return row.map((value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(',')
}

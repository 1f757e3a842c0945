import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Who logs in: one user who sees the whole firm, and one who sees what it has access to. */
export const users = { firm: 'principal', granted: 'advisor-0' } as const
export type Role = keyof typeof users

export const password = 'correct horse battery staple'
export const firm = 'f1'
/** Households that each advisor has access to; fewer where there are not so many. */
const eachAdvisorSees = 300

/** In names: `common` in one of twenty, `rare` in one household that both users see. */
export const searched = { common: 'lind', rare: 'zyxwvut', letter: 'l', nowhere: '~' }
const families = (
  'Abara Becker Castro Demir Eriksen Fischer Garcia Haddad Ivanov Jansen ' +
  'Kowalski Lindqvist Moreau Nakamura Okafor Petrov Quispe Rossi Schmidt Tanaka'
).split(' ')

export function emailOf(user: string): string {
  return `${user}@example.com`
}

/** Writes the import's CSV files for so many households, with one account each. @returns how many rows */
export async function writeData(directory: string, households: number): Promise<number> {
  const advisors = Math.max(1, Math.floor(households / eachAdvisorSees))
  const rare = advisors * Math.floor(households / advisors / 2)
  const name = (i: number) => (i === rare ? `The ${searched.rare} Family` : `${families[i % 20]} Family ${i}`)
  const user = (id: string, role: string, secret: string) =>
    `${id},${firm},${emailOf(id)},User ${id},${role},active,${secret}`
  const advisor = (i: number) => `advisor-${i % advisors}`

  await writeLines(directory, 'firms.csv', 'id,name', 1, () => `${firm},The Firm`)
  await writeLines(directory, 'roles.csv', 'name,sees', 2, (i) =>
    i === 0 ? 'principal,firm' : 'advisor,granted',
  )
  await writeLines(directory, 'users.csv', 'id,firm_id,email,name,role,status,password', advisors + 1, (i) =>
    i === advisors
      ? user(users.firm, 'principal', password)
      : user(advisor(i), 'advisor', i === 0 ? password : ''),
  )
  await writeLines(
    directory,
    'households.csv',
    'id,firm_id,name',
    households,
    (i) => `${id('h', i)},${firm},${name(i)}`,
  )
  await writeLines(
    directory,
    'accounts.csv',
    'id,household_id,name,type,number_masked,custodian,currency,status,opened_on',
    households,
    (i) => `${id('a', i)},${id('h', i)},Savings,deposit,****1234,First Custodian,EUR,active,2020-02-29`,
  )
  await writeLines(
    directory,
    'account_access.csv',
    'user_id,account_id',
    households,
    (i) => `${advisor(i)},${id('a', i)}`,
  )
  return 1 + 2 + (advisors + 1) + 3 * households
}

function id(kind: string, number: number): string {
  return `${kind}${String(number).padStart(9, '0')}`
}

async function writeLines(
  directory: string,
  file: string,
  header: string,
  count: number,
  line: (i: number) => string,
): Promise<void> {
  function* lines() {
    yield `${header}\n`
    for (let i = 0; i < count; i++) yield `${line(i)}\n`
  }
  await pipeline(Readable.from(lines()), createWriteStream(join(directory, file)))
}

import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** The users of the bench: one sees the whole firm, one has access to a few of its households, one to half of them. */
export const readers = {
  firm: { id: 'principal', who: 'sees the whole firm' },
  granted: { id: 'advisor-0', who: 'has access to a few hundred households' },
  broad: { id: 'assistant', who: 'has access to half of all households' },
} as const
export type Reader = keyof typeof readers
export const readerNames = ['firm', 'granted', 'broad'] as const satisfies Reader[]

export const password = 'correct horse battery staple'
export const firm = 'f1'
/** The number of households that each advisor has access to, or all if there are fewer. */
const eachAdvisorSees = 300

/** Search patterns. `rare` and `rarePair` match one household, which all readers see; `nowhere` and `nowherePair` none. */
export const searched = {
  common: 'lind',
  middle: 'mapleford',
  rare: 'zyxwvut',
  pair: 'qv',
  rarePair: 'zy',
  letter: 'l',
  nowhere: '~',
  nowherePair: '~~',
}
const families = (
  'Abara Becker Castro Demir Eriksen Fischer Garcia Haddad Ivanov Jansen ' +
  'Kowalski Lindqvist Moreau Nakamura Okafor Petrov Quispe Rossi Schmidt Tanaka'
).split(' ')
const places =
  'Ash Birch Clover Dun Elm Fern Glen Hazel Iron Juniper Kings Larch Maple North Oak Pine Quarry Rowan Silver Thorn'
    .split(' ')
    .flatMap((tree) =>
      'brook dale field ford gate ham hill side ton wood'.split(' ').map((end) => tree + end),
    )

export function emailOf(user: string): string {
  return `${user}@example.com`
}

/**
 * Writes the CSV files of an import for so many households, with one account each. `renamed` gives one household in a
 * hundred another name. @returns the number of rows
 */
export async function writeData(directory: string, households: number, renamed = false): Promise<number> {
  const advisors = Math.max(1, Math.floor(households / eachAdvisorSees))
  const rare = 2 * advisors * Math.floor(households / advisors / 4)
  const user = (id: string, role: string, secret: string) =>
    `${id},${firm},${emailOf(id)},User ${id},${role},active,${secret}`
  const advisor = (i: number) => `advisor-${i % advisors}`
  const staff = [
    user(readers.firm.id, 'principal', password),
    user(readers.broad.id, 'advisor', password),
    user(readers.granted.id, 'advisor', password),
  ]
  const broadly = Math.ceil(households / 2)
  const lines: [file: string, header: string, count: number, line: (i: number) => string][] = [
    ['firms', 'id,name', 1, () => `${firm},The Firm`],
    ['roles', 'name,sees', 2, (i) => (i === 0 ? 'principal,firm' : 'advisor,granted')],
    [
      'users',
      'id,firm_id,email,name,role,status,password',
      advisors + 2,
      (i) => staff[i] ?? user(advisor(i - 2), 'advisor', ''),
    ],
    [
      'households',
      'id,firm_id,name',
      households,
      (i) => `${id('h', i)},${firm},${nameOf(i, rare)}${renamed && i % 100 === 0 ? ' (renamed)' : ''}`,
    ],
    [
      'accounts',
      'id,household_id,name,type,number_masked,custodian,currency,status,opened_on',
      households,
      (i) => `${id('a', i)},${id('h', i)},Savings,deposit,****1234,First Custodian,EUR,active,2020-02-29`,
    ],
    [
      'account_access',
      'user_id,account_id',
      households + broadly,
      (i) =>
        i < households
          ? `${advisor(i)},${id('a', i)}`
          : `${readers.broad.id},${id('a', 2 * (i - households))}`,
    ],
  ]
  for (const [file, header, count, line] of lines)
    await writeLines(join(directory, `${file}.csv`), header, count, line)
  return lines.reduce((sum, [, , count]) => sum + count, 0)
}

function nameOf(i: number, rare: number): string {
  if (i === rare) return `The ${searched.rare} Family`
  return `${scattered(i, families, 0x9e3779b1)} Family of ${scattered(i, places, 0x85ebca6b)} ${i}`
}

/** Spreads the words evenly, also over every second household, every third and so on. */
function scattered(i: number, words: string[], factor: number): string | undefined {
  return words[Math.floor(((Math.imul(i, factor) >>> 0) / 2 ** 32) * words.length)]
}

function id(kind: string, number: number): string {
  return `${kind}${String(number).padStart(9, '0')}`
}

async function writeLines(
  path: string,
  header: string,
  count: number,
  line: (i: number) => string,
): Promise<void> {
  function* chunks() {
    yield `${header}\n`
    for (let from = 0; from < count; from += 1000) {
      const lines = Array.from({ length: Math.min(1000, count - from) }, (_, i) => `${line(from + i)}\n`)
      yield lines.join('')
    }
  }
  await pipeline(Readable.from(chunks()), createWriteStream(path))
}

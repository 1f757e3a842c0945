import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { createUser } from '../../src/directory/users.ts'
import { createPartner } from '../../src/partners/partners.ts'
import { query, type TestDatabase, testDatabase } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { refusal, taken, usersHeader } from '../support/import.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await testDatabase()
  await seed(db.database, { users: [{ id: 'u1', firm: 'f1' }] })
})
afterAll(() => db.drop())
beforeEach(() => query(db.database, 'TRUNCATE partners CASCADE'))

const refused = {
  'right-to-left override': 0x202e,
  'left-to-right override': 0x202d,
  'left-to-right embedding': 0x202a,
  'right-to-left embedding': 0x202b,
  'pop directional formatting': 0x202c,
  'left-to-right isolate': 0x2066,
  'right-to-left isolate': 0x2067,
  'first strong isolate': 0x2068,
  'pop directional isolate': 0x2069,
  'zero-width space': 0x200b,
  'zero-width non-joiner in Latin': 0x200c,
  'zero-width joiner in Latin': 0x200d,
  'left-to-right mark': 0x200e,
  'right-to-left mark': 0x200f,
  'arabic letter mark': 0x061c,
  'byte order mark': 0xfeff,
  'soft hyphen': 0x00ad,
  'word joiner': 0x2060,
  'interlinear annotation': 0xfff9,
  'tag character': 0xe0041,
  'line separator': 0x2028,
  'hangul filler': 0x3164,
}
const cases = Object.entries(refused).map(([what, codePoint]) => {
  const name = `Nice${String.fromCodePoint(codePoint)}Bank`
  const written = `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`
  return { what, name, written }
})

/** Real names of people and companies, in scripts that need joiners. */
const real = ['نامه‌ای', 'ක්‍රිස්ටි', 'क्‍ष', 'Nöel & Søn', "O'Brien-Ávila", '山田太郎', 'אבגד', 'Family 👨‍👩‍👧', '❤️']

describe('18, 48: bidirectional controls and other format characters in names', () => {
  test.each(cases)(
    '$what: refused in the name of a partner, named as $written',
    async ({ name, written }) => {
      const partner = { name, redirectUris: ['https://partner.example/'], requirePkce: false }
      const outcome = await createPartner(db.database, systemOrigin, 'sandbox', partner)
      expect(outcome).toEqual({ kind: 'refused', faults: [expect.stringContaining(written)] })
      expect(JSON.stringify(outcome)).not.toContain(name)
      expect(await query(db.database, 'SELECT FROM partners')).toEqual([])
    },
  )

  // The same check as for partners, so that one of each kind is enough.
  const kinds = ['right-to-left override', 'zero-width space', 'tag character', 'hangul filler']
  test.each(cases.filter(({ what }) => kinds.includes(what)))(
    '$what: refused in the names of an import, by line and column',
    async ({ name, written }) => {
      const files = {
        'firms.csv': `id,name\nf1,${name}\n`,
        'roles.csv': `name,sees\n${name},firm\n`,
        'users.csv': `${usersHeader}u9,f1,u9@example.com,${name},sees-firm,active,\n`,
        'households.csv': `id,firm_id,name\nh9,f1,${name}\n`,
      }
      for (const [file, text] of Object.entries(files)) {
        const [fault, ...others] = await refusal(db.database, { [file]: text })
        expect(others).toEqual([])
        expect(fault).toMatch(
          new RegExp(`^${file.replace('.', '\\.')}:2: column "name": .*${written.replace('+', '\\+')}`),
        )
        expect(fault).not.toContain(name)
      }
    },
  )

  test.each(cases)('$what: refused by user create', async ({ name, written }) => {
    const user = { id: 'u8', firm: 'f1', email: 'u8@example.com', name, role: 'sees-firm' }
    const outcome = await createUser(db.database, systemOrigin, user)
    expect(outcome).toEqual({ kind: 'refused', reasons: [expect.stringContaining(written)] })
    const inEmail = await createUser(db.database, systemOrigin, {
      ...user,
      name: 'U8',
      email: `${name}@example.com`,
    })
    expect(inEmail).toMatchObject({ kind: 'refused' })
    expect(JSON.stringify(inEmail)).not.toContain(name)
  })

  test.each(real)('%j is accepted as a name', async (name) => {
    const partner = { name, redirectUris: ['https://partner.example/'], requirePkce: false }
    expect((await createPartner(db.database, systemOrigin, 'sandbox', partner)).kind).toBe('created')
    await taken(db.database, { 'households.csv': `id,firm_id,name\nh9,f1,${name}\n` })
    expect(await query(db.database, `SELECT name FROM households WHERE id = 'h9'`)).toEqual([{ name }])
  })
})

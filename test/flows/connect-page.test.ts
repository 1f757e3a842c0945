import { describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { authorize } from '../support/journey.ts'
import { isConnectPage, loggedIn, recoveryLink } from '../support/pages.ts'
import { rowCounts } from '../support/raw-request.ts'
import { allNames, seeAll, sharedOn } from '../support/shared-data.ts'
import type { Page, Visitor } from '../support/visitor.ts'

const server = await serverFixture({
  users: ['ada', { id: 'none', sees: 'granted' }, { id: 'one', firm: 'firm-2' }],
  households: [
    ...Array.from({ length: 214 }, (_, place) => ({
      id: `h${String(place).padStart(3, '0')}`,
      name: `Household ${place}`,
    })),
    { id: 'single', firm: 'firm-2', name: null },
  ],
  accounts: [{ id: 'a1', household: 'single' }],
})
const partner = await server.partner({ name: 'Ledger', redirectUri: 'https://app.ledger.example/callback' })

const connectPage = (visitor: Visitor, language = 'en'): Promise<Page> =>
  authorize(visitor, server, partner, { ui_locales: language })

/** The example of names, as a person reads it. */
const example = (page: Page) => page.document.querySelector('.sees li p')?.text

describe('the connect page', () => {
  test('says in each language how many households the application would see, with the first names', async () => {
    const visitor = await loggedIn(server, 'ada')
    const shown = async (language: string) => {
      const page = await connectPage(visitor, language)
      return [sharedOn(page).households, example(page)]
    }
    const first = 'Household 0, Household 1, Household 2'
    expect(await shown('en')).toEqual(['214 households', `${first}, and 211 more See all`])
    expect(await shown('de')).toEqual(['214 Haushalte', `${first} und 211 weitere Alle ansehen`])
    expect(await shown('fr')).toEqual(['214 foyers', `${first} et 211 autres Tout voir`])
    expect(await shown('es')).toEqual(['214 hogares', `${first} y 211 más Ver todos`])
  })

  test('says what it shares and does not share, for how long, how it ends, and where the user returns', async () => {
    const page = await connectPage(await loggedIn(server, 'ada'))
    const text = page.document.text.replace(/\s+/g, ' ')
    for (const part of [
      'Signed in as User ada',
      'Name, type, masked number, custodian, currency, opening date',
      'see balances, transactions, your email address or your password',
      'change or move anything',
      'Until you disconnect it, or it stays unused for 30 days.',
      'End it at any time under your connected apps.',
      'You return to app.ledger.example.',
    ]) {
      expect(text).toContain(part)
    }
  })

  test('of a user who sees nothing, or a single household without a name', async () => {
    const none = await connectPage(await loggedIn(server, 'none'))
    expect(sharedOn(none)).toEqual({ households: '0 households', names: [], accounts: '0 active accounts' })
    expect(seeAll(none)).toBeUndefined()
    const one = await connectPage(await loggedIn(server, 'one'))
    expect(sharedOn(one)).toEqual({
      households: '1 household',
      names: ['single'],
      accounts: '1 active account',
    })
    expect(example(one)).toBe('single See all')
  })

  test('48: isolates the direction of each name, so that a name cannot rearrange the numbers', async () => {
    await query(
      server.database,
      `UPDATE households SET name = 'דוחות ' || chr(8238) || '999' WHERE id = 'h000'`,
    )
    const visitor = await loggedIn(server, 'ada')
    const page = await connectPage(visitor)
    const name = 'דוחות \u202e999'
    expect(sharedOn(page).names[0]).toBe(name)
    expect(page.text.split(name).length).toBe(2)
    expect(page.text).toContain(`<bdi>${name}</bdi>`)
    const list = await visitor.get(seeAll(page) ?? '')
    expect(list.text).toContain(`<bdi>${name}</bdi>`)
    await query(server.database, `UPDATE households SET name = 'Household 0' WHERE id = 'h000'`)
  })
})

describe('all households', () => {
  test('are listed in pages, change nothing, and lead back to the same request', async () => {
    const visitor = await loggedIn(server, 'ada')
    const page = await connectPage(visitor)
    const before = await rowCounts(server)
    const address = seeAll(page) ?? ''
    const names = Array.from({ length: 214 }, (_, place) => `Household ${place}`)
    expect(await allNames(visitor, address)).toEqual(names)
    const last = await visitor.get(`${address}&page=2`)
    expect(last.text).toContain('201 to 214 of 214')
    expect(await rowCounts(server)).toEqual(before)
    const back = await visitor.get(recoveryLink(last, 'Back to the question'))
    expect(isConnectPage(back)).toBe(true)
    expect((await visitor.get(`${address}&page=3`)).text).toContain('can’t see any households')
    for (const wrong of ['-1', '1e3', '99999999', '']) {
      expect((await visitor.get(`${address}&page=${wrong}`)).status).toBe(400)
    }
  })

  test('an expired or changed request shows no households', async () => {
    const visitor = await loggedIn(server, 'ada')
    const address = seeAll(await connectPage(visitor)) ?? ''
    server.advanceClock(601)
    const late = await visitor.get(address)
    expect([late.status, late.document.querySelectorAll('.names')]).toEqual([400, []])
  })
})

test('more than ten thousand accounts are not counted', async () => {
  await seed(server.database, {
    users: [
      { id: 'rich', firm: 'firm-3' },
      { id: 'closed', firm: 'firm-3', sees: 'granted' },
    ],
    households: [{ id: 'many', firm: 'firm-3' }],
  })
  await query(
    server.database,
    `INSERT INTO accounts (id, household_id, status) SELECT 'many' || n, 'many', 'active' FROM generate_series(1, 10001) n`,
  )
  const accountsOf = async (userId: string) =>
    sharedOn(await connectPage(await loggedIn(server, userId))).accounts
  expect(await accountsOf('rich')).toBe('More than 10,000 active accounts')
  await query(server.database, `DELETE FROM accounts WHERE id = 'many1'`)
  expect(await accountsOf('rich')).toBe('10,000 active accounts')
  await query(
    server.database,
    `INSERT INTO accounts (id, household_id, status) VALUES ('many1', 'many', 'active');
     INSERT INTO account_access (user_id, account_id, household_id) SELECT 'closed', id, household_id FROM accounts WHERE household_id = 'many';
     UPDATE accounts SET status = 'closed' WHERE household_id = 'many' AND id > 'many2'`,
  )
  // The look-ups are bounded too: the user has more access rows than are looked at.
  expect(await accountsOf('closed')).toMatch(/^More than [1-9],\d{3} active accounts$/)
})

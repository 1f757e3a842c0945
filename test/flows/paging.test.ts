import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { query } from '../support/database.ts'
import { byteOrder, replaceDirectory } from '../support/directory-rows.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { ofRuns } from '../support/property-runs.ts'

const server = await serverFixture()

/** Includes `.` and `..`: they are impossible in a URL's path, but ordinary ids in a list. */
const id = fc.string({ unit: fc.constantFrom(...'aAzZ09._:-'), minLength: 1, maxLength: 64 })
const households = fc.uniqueArray(
  fc.record({ id, name: fc.constantFrom('Alpha', 'ALPHABET', 'beta', '100 %', null) }),
  { selector: (row) => row.id, maxLength: 25 },
)
const pageSize = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constant(1000))
const pattern = fc.constantFrom(undefined, 'alpha', '%', 'a&page=7', 'beta+ ', 'none')

type PageRead = { page: number; ids: string[]; links: Record<string, URL> }

/** The URLs of a `Link` header by relation (RFC 8288). */
function linksOf(header: string | null): Record<string, URL> {
  const links = (header ?? '').matchAll(/<([^>]*)>; rel="([a-z-]+)"(?:, |$)/g)
  return Object.fromEntries(Array.from(links, ([, url = '', rel = '']) => [rel, new URL(url)]))
}

async function read(url: URL, accessToken: string): Promise<Omit<PageRead, 'page'>> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${accessToken}` } })
  const body: unknown = await response.json()
  if (response.status !== 200 || !Array.isArray(body)) throw new Error(JSON.stringify(body))
  return { ids: body.map((row) => row.id), links: linksOf(response.headers.get('link')) }
}

/** Reads all pages by following `rel="next"`. */
async function readAllPages(url: URL, accessToken: string): Promise<PageRead[]> {
  const pages: PageRead[] = []
  for (let next: URL | undefined = url; next; next = pages.at(-1)?.links.next) {
    pages.push({ page: pages.length, ...(await read(next, accessToken)) })
    if (pages.length > 100) throw new Error('next never ends')
  }
  return pages
}

function addressOf(path: string, query: Record<string, string | number | undefined>): URL {
  const url = new URL(`${server.baseUrl}api/v1/${path}`)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

const pagesOf = (ids: string[], size: number) =>
  Array.from({ length: Math.max(1, Math.ceil(ids.length / size)) }, (_, page) =>
    ids.slice(page * size, (page + 1) * size),
  )

describe('for any ids, page_size and name_pattern', () => {
  test('following next and counting page numbers both give every household once, in byte order, and Link keeps the query', async () => {
    await fc.assert(
      fc.asyncProperty(households, pageSize, pattern, async (rows, size, name) => {
        await replaceDirectory(server.database, {
          users: [{ id: 'ada', firm: 'firm-1', sees: 'firm' }],
          households: rows.map((row) => ({ ...row, firm: 'firm-1' })),
        })
        const accessToken = await accessTokenOf(server.database, 'ada')
        const found = rows.filter((row) => !name || row.name?.toLowerCase().includes(name))
        const expected = pagesOf(found.map((row) => row.id).sort(byteOrder), size)
        const query = { page_size: size, name_pattern: name }

        const pages = await readAllPages(addressOf('households', query), accessToken)
        expect(pages.map(({ ids }) => ids)).toEqual(expected)
        for (const { page, ids, links } of pages) {
          const at = (number: number) => addressOf('households', { page: number, ...query }).href
          expect(await read(addressOf('households', { ...query, page }), accessToken)).toEqual({ ids, links })
          const shown = ({ href }: URL) => href.replace(/&cursor=[\w.-]+$/, '&cursor=…')
          expect(Object.fromEntries(Object.entries(links).map(([rel, url]) => [rel, shown(url)]))).toEqual({
            ...(page > 0 && { first: at(0), prev: at(page - 1) }),
            ...(page + 1 < expected.length && {
              next: `${at(page + 1)}&cursor=…`,
            }),
            'successor-version': `${server.baseUrl}api/v2/households`,
          })
        }
        const beyond = await read(addressOf('households', { ...query, page: expected.length }), accessToken)
        expect(beyond.ids).toEqual([])
        expect(Object.keys(beyond.links)).toEqual(['first', 'prev', 'successor-version'])
      }),
      { numRuns: ofRuns(150) },
    )
  })

  test('the accounts of a household are paged the same way, without closed accounts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.record({ id, status: fc.constantFrom('active', 'active', 'closed') }), {
          selector: (row) => row.id,
          maxLength: 20,
        }),
        pageSize,
        async (rows, size) => {
          await replaceDirectory(server.database, {
            users: [{ id: 'ada', firm: 'firm-1', sees: 'firm' }],
            households: [{ id: 'a:b', firm: 'firm-1' }],
            accounts: rows.map((row) => ({ ...row, household: 'a:b' })),
          })
          const accessToken = await accessTokenOf(server.database, 'ada')
          const active = rows.filter(({ status }) => status === 'active').map((row) => row.id)
          const pages = await readAllPages(
            addressOf('households/a:b/accounts', { page_size: size }),
            accessToken,
          )
          expect(pages.map(({ ids }) => ids)).toEqual(pagesOf(active.sort(byteOrder), size))
          expect(pages.map(({ links }) => links['successor-version'])).toEqual(pages.map(() => undefined))
        },
      ),
      { numRuns: ofRuns(100) },
    )
  })
})

describe('limits of the contract', () => {
  let accessToken: string
  beforeAll(async () => {
    await replaceDirectory(server.database, {
      users: [{ id: 'ada', firm: 'firm-1', sees: 'firm' }],
      households: Array.from({ length: 1001 }, (_, index) => ({ id: `h${index}`, firm: 'firm-1' })),
    })
    accessToken = await accessTokenOf(server.database, 'ada')
  })

  test('without parameters: page 0, 100 entries', async () => {
    const all = Array.from({ length: 1001 }, (_, index) => `h${index}`).sort(byteOrder)
    const { ids, links } = await read(addressOf('households', {}), accessToken)
    expect(ids).toEqual(all.slice(0, 100))
    expect(links.next?.search).toMatch(/^\?page=1&page_size=100&cursor=/)
  })

  test('page_size is at most 1000, and entry 1001 is on the next page', async () => {
    const pages = await readAllPages(addressOf('households', { page_size: 1000 }), accessToken)
    expect(pages.map(({ ids }) => ids.length)).toEqual([1000, 1])
    expect((await api(server, 'households?page_size=1001', accessToken)).status).toBe(400)
  })

  test('a cursor is used only for its own page and query; on other pages, or if forged, the page number decides', async () => {
    const { links } = await read(addressOf('households', { page_size: 10 }), accessToken)
    const cursor = links.next?.searchParams.get('cursor') ?? ''
    const forged = `${Buffer.from('h999').toString('base64url')}.${cursor.split('.')[1]}`
    for (const [page, size, name, given] of [
      [5, 10, '', cursor],
      [1, 20, '', cursor],
      [1, 10, 'h1', cursor],
      [1, 10, '', forged],
      [1, 10, '', 'nonsense'],
    ] as const) {
      const query = { page, page_size: size, ...(name && { name_pattern: name }) }
      const byNumber = await read(addressOf('households', query), accessToken)
      const withCursor = await read(addressOf('households', { ...query, cursor: given }), accessToken)
      expect(withCursor.ids).toEqual(byNumber.ids)
    }
  })

  test('leading zeros are accepted: 007 is 7', async () => {
    const { ids, links } = await read(addressOf('households', { page: '007', page_size: '007' }), accessToken)
    expect(ids).toHaveLength(7)
    expect(links.next?.search).toMatch(/^\?page=8&page_size=7&cursor=/)
  })

  test.each([
    ['households', 1],
    ['households', 1000],
    ['households/h1/accounts', 1000],
  ])(
    'the highest page number of %s with page_size %i gives an empty page, not an error',
    async (path, size) => {
      const page = Number.MAX_SAFE_INTEGER
      const last = await read(addressOf(path, { page, page_size: size }), accessToken)
      expect(last.ids).toEqual([])
      expect(last.links.next).toBeUndefined()
      expect(last.links.prev?.searchParams.get('page')).toBe(String(page - 1))
    },
  )

  test('32: rows added or removed while a client follows Link do not make it skip or repeat other rows', async () => {
    const seen: string[] = []
    const removed: string[] = []
    for (let next: URL | undefined = addressOf('households', { page_size: 100 }); next; ) {
      const { ids, links }: Omit<PageRead, 'page'> = await read(next, accessToken)
      seen.push(...ids)
      next = links.next
      // Adds three rows before the client's position and removes two that it has read. Every page number shifts.
      const [first = '', second = ''] = ids
      removed.push(first, second)
      await query(server.database, 'DELETE FROM households WHERE id = ANY ($1)', [[first, second]])
      const added = [1, 2, 3].map((number) => `a${seen.length}-${number}`)
      await query(
        server.database,
        `INSERT INTO households (id, firm_id) SELECT id, 'firm-1' FROM unnest($1::text[]) id`,
        [added],
      )
    }
    expect(removed.length).toBe(22)
    expect(seen).toEqual(Array.from({ length: 1001 }, (_, index) => `h${index}`).sort(byteOrder))
  })
})

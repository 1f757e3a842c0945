import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { query } from '../support/database.ts'
import { replaceDirectory } from '../support/directory-rows.ts'
import { serverFixture } from '../support/fixtures.ts'
import { type ApiAnswer, api } from '../support/journey.ts'
import { testServer } from '../support/server.ts'
import { apiV2, page, type Query, walk } from '../support/walks.ts'

const bobsId = 'bob-4711-of-the-platform'
const ids = Array.from({ length: 30 }, (_, index) => `h${index}`)

const server = await serverFixture()
await replaceDirectory(server.database, {
  users: [
    { id: 'ada', firm: 'firm-1', sees: 'firm' },
    { id: bobsId, firm: 'firm-1', sees: 'firm' },
  ],
  households: ids.map((id) => ({ id, firm: 'firm-1', name: `Household ${id}` })),
})
const ada = await accessTokenOf(server.database, 'ada')
const bob = await accessTokenOf(server.database, bobsId)

const households = (query: Query, accessToken = bob) => apiV2(server, 'households', accessToken, query)
const cursorOf = async (query: Query, accessToken = bob) =>
  (await page(server, accessToken, query)).next_cursor ?? ''
const contentOf = (cursor: string) =>
  JSON.parse(Buffer.from(cursor.split('.')[0] ?? '', 'base64url').toString())
/** Decodes to the same 16 bytes: the last four bits of the last of 22 characters are unused. */
const otherLastCharacter = (tag: string) => {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return tag.slice(0, -1) + digits.charAt(digits.indexOf(tag.slice(-1)) + 1)
}
const textOf = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url')

function expectRefused({ status, body }: ApiAnswer, what: RegExp, parameter = 'cursor') {
  expect(body).toMatchObject({
    status: 400,
    code: 'invalid_parameter',
    detail: expect.stringMatching(what),
    errors: [{ parameter, detail: expect.stringMatching(what) }],
  })
  expect(status).toBe(400)
}
const startAgain =
  /is invalid: it was changed, or it was not issued to this user by this server; start again without it/

describe('a cursor that the server did not send', () => {
  test.each([
    ['empty', ''],
    ['nonsense', 'nonsense'],
    ['a number', '7'],
    ['no JSON', 'AAAA.AAAA'],
    ['null', `${textOf(null)}.x`],
    ['of the first version', 'aDk5OQ.luBH4oFRgdlpczMaUnnLDw'],
    ['too long', 'x'.repeat(12_000)],
  ])('%s: 400, and the error says what to do', async (_name, cursor) => {
    expectRefused(await households({ cursor }), startAgain)
  })

  test('twice: 400', async () => {
    const cursor = await cursorOf({ limit: 10 })
    const answer = await apiV2(server, `households?cursor=${cursor}&cursor=${cursor}`, bob)
    expectRefused(answer, /sent more than once/)
  })

  test('49: any character changed, removed or added: 400', async () => {
    const cursor = await cursorOf({ limit: 10, name_contains: 'h' })
    const other = (char: string) => (char === 'A' ? 'B' : 'A')
    const places = [
      0,
      5,
      40,
      cursor.length >> 1,
      cursor.indexOf('.') - 1,
      cursor.indexOf('.') + 1,
      cursor.length - 2,
    ]
    const changed = places.map((at) => cursor.slice(0, at) + other(cursor.charAt(at)) + cursor.slice(at + 1))
    const [content, tag = ''] = cursor.split('.')
    const cut = [content ?? '', `${content}.`, `${content}.${tag.slice(0, -4)}`, `.${tag}`, cursor.slice(4)]
    const added = ['=', '==', '.', '.A', ' ', '\n', '!', 'A'].map((more) => cursor + more)
    const inside = [`${content}=.${tag}`, `${content}. ${tag}`, `${content}.${otherLastCharacter(tag)}`]
    for (const bad of [...changed, ...cut, ...added, ...inside]) {
      expectRefused(await households({ cursor: bad }), startAgain)
    }
    expect((await households({ cursor })).status).toBe(200)
  })

  test('its content changed under its old MAC, or under a guessed key: 400, never 500', async () => {
    const cursor = await cursorOf({ limit: 10 })
    const [, tag = ''] = cursor.split('.')
    const honest = contentOf(cursor)
    const since = '2026-01-01T00:00:00.000000Z'
    const lies = [
      { after: 'h0' },
      { after: '' },
      { after: '~' },
      { after: 'a\0b' },
      { after: ['h1'] },
      { count: -1 },
      { count: 1e300 },
      { digest: '' },
      { digest: '\0' },
      { as_of: '2999-01-01T00:00:00.000000Z' },
      { as_of: '2026-02-30T00:00:00.000000Z' },
      { as_of: 'infinity' },
      { filters: null },
      { filters: { name_contains: 'a\0b' } },
      { filters: { name_contains: '\ud800' } },
      { filters: { name_contains: "'" } },
      { filters: { updated_since: since } },
      { filters: { updated_since: since }, changed_at: since },
      { filters: { updated_since: 'no instant' } },
      { filters: { updated_since: since }, changed_at: '2026-02-30T00:00:00.000000Z' },
      { filters: { updated_since: since }, as_of: 'no instant' },
      { filters: { updated_since: since }, changed_at: '-infinity' },
      { __proto__: { after: 'h0' } },
    ]
    for (const lie of lies) {
      const content = textOf({ ...honest, ...lie })
      const guess = createHmac('sha256', '').update(content).digest().subarray(0, 16).toString('base64url')
      for (const mac of [tag, guess]) {
        if (content === cursor.split('.')[0] && mac === tag) continue
        expectRefused(await households({ cursor: `${content}.${mac}` }), startAgain)
      }
    }
  })

  test('from a server with another secret: 400', async () => {
    const other = await testServer({ secret: 'another secret for tests, of 32 bytes or more' })
    await replaceDirectory(other.database, {
      users: [{ id: bobsId, firm: 'firm-1', sees: 'firm' }],
      households: ids.map((id) => ({ id, firm: 'firm-1' })),
    })
    const accessToken = await accessTokenOf(other.database, bobsId, { keys: other.context.keys })
    const { next_cursor } = await page(other, accessToken, { limit: 10 })
    expectRefused(await households({ cursor: next_cursor ?? '' }), startAgain)
    await other.close()
  })
})

describe('the user and the request of a cursor', () => {
  test("another user's cursor is 400 like a broken one, even if both see the same households", async () => {
    const cursor = await cursorOf({ limit: 10 }, ada)
    expectRefused(await households({ cursor }), startAgain)
    expect((await households({ cursor }, ada)).status).toBe(200)
  })

  test('a new access token of the same user continues the sync', async () => {
    const cursor = await cursorOf({ limit: 10 })
    const later = await accessTokenOf(server.database, bobsId)
    expect((await households({ cursor }, later)).status).toBe(200)
  })

  test('with other filters: 400; with its own filters, in any form, it continues', async () => {
    const since = (await walk(server, bob)).receipt.as_of
    const plain = await cursorOf({ limit: 10 })
    const named = await cursorOf({ limit: 10, name_contains: 'h' })
    const other = /belongs to a sync with other parameters; send it alone, or start again without it/
    expectRefused(await households({ cursor: plain, name_contains: 'h' }), other)
    expectRefused(await households({ cursor: plain, updated_since: since }), other)
    expectRefused(await households({ cursor: named, name_contains: 'H' }), other)
    expectRefused(await households({ cursor: named, updated_since: since }), other)
    for (const query of [{ cursor: plain }, { cursor: named }, { cursor: named, name_contains: 'h' }]) {
      expect((await households(query)).status).toBe(200)
    }
  })

  test("does not contain the user's platform id", async () => {
    const cursor = await cursorOf({ limit: 10 })
    const text = JSON.stringify(contentOf(cursor))
    for (const secret of [
      bobsId,
      Buffer.from(bobsId).toString('base64'),
      Buffer.from(bobsId).toString('hex'),
    ]) {
      expect(
        cursor + text + Buffer.from(cursor.split('.')[1] ?? '', 'base64url').toString('latin1'),
      ).not.toContain(secret)
    }
  })

  test('has the same content for two users who see the same, under two MACs: it contains nothing that other users read', async () => {
    const [content, tag] = (await cursorOf({ limit: 10 })).split('.')
    await walk(server, bob, { limit: 7, name_contains: 'h2' })
    const [same, otherTag] = (await cursorOf({ limit: 10 }, ada)).split('.')
    expect(same).toBe(content)
    expect(otherTag).not.toBe(tag)
  })

  test('has a few hundred characters, regardless of the length of the sync', async () => {
    const last = (await walk(server, bob, { limit: 1 })).pages.at(-2)?.next_cursor ?? ''
    expect(last.length).toBeLessThan(600)
    expect(last.length - (await cursorOf({ limit: 1 })).length).toBeLessThan(8)
  })
})

describe('30: limit is a decimal number from 1 to 1000', () => {
  const refused = [
    '',
    '-1',
    '0',
    '000',
    '1001',
    '1e2',
    '0x10',
    '1.5',
    '10abc',
    ' 7 ',
    '+5',
    '٣',
    '9007199254740993',
    'all',
  ]

  test.each(refused)('%j: 400, and the error names it', async (limit) => {
    expectRefused(
      await households({ limit }),
      /must be a whole number from 1 to 1000, in decimal digits/,
      'limit',
    )
  })

  test('007 is 7, and twice is 400', async () => {
    expect((await page(server, bob, { limit: '007' })).data).toHaveLength(7)
    expectRefused(await apiV2(server, 'households?limit=1&limit=1', bob), /more than once/, 'limit')
  })

  test('page numbers are not parameters of version 2', async () => {
    expect((await page(server, bob, { page: 3, page_size: 2, name_pattern: 'none' })).data).toHaveLength(30)
  })
})

test('31: name_contains is text, of 256 characters at most', async () => {
  for (const name of ['%', '_', '\\', "' OR 1=1", '.*']) {
    expect((await page(server, bob, { name_contains: name })).data).toEqual([])
  }
  expect((await households({ name_contains: 'é'.repeat(256) })).status).toBe(200)
  expectRefused(await households({ name_contains: 'é'.repeat(257) }), /256/, 'name_contains')
})

test('49: a cursor of the first version with anything added or changed is ignored: the page is served by its number', async () => {
  const first = await api(server, 'households?page_size=10', bob)
  const all = [...ids].sort()
  const cursor = /cursor=([^>&]*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  await query(server.database, 'DELETE FROM households WHERE id = $1', [all[0] ?? ''])
  await query(server.database, 'UPDATE firms SET changed_at = clock_timestamp()')
  const begin = async (text: string) => {
    const answer = await api(server, `households?page=1&page_size=10&cursor=${encodeURIComponent(text)}`, bob)
    return JSON.parse(answer.text)[0].id
  }
  expect(await begin(cursor)).toBe(all[10])
  const [id, tag = ''] = cursor.split('.')
  for (const bad of [
    `${cursor}=`,
    `${cursor}.`,
    `${cursor} `,
    `${id}=.${tag}`,
    `${id}.${otherLastCharacter(tag)}`,
  ]) {
    expect([bad, await begin(bad)]).toEqual([bad, all[11]])
  }
})

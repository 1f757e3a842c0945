import pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { countingDatabase } from '../support/counting-database.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { type ApiAnswer, api } from '../support/journey.ts'
import { lastUse, readsOf } from '../support/usage.ts'

let ada: string
let bob: string

const db = await databaseFixture(countingDatabase)
const server = await serverFixture({ on: db })
await server.context.usage.stop() // from here on, usage is written only when a test calls write()
await seed(db.direct, {
  users: ['ada', 'bob', 'cleo', 'dan'],
  households: ['h1', 'h2', 'h3'],
  accounts: ['a1', 'a2'].map((id) => ({ id, household: 'h1' })),
})
await query(db.direct, `INSERT INTO firms VALUES ('firm-2', 'Another')`)
beforeEach(async () => {
  ada = await accessTokenOf(db.direct, 'ada')
  bob = await accessTokenOf(db.direct, 'bob')
})

const paths = ['households', 'households?page_size=2', 'households?name_pattern=h', 'households/h1/accounts']

function getPage(path: string, accessToken: string, ifNoneMatch?: string): Promise<ApiAnswer> {
  return api(server, path, accessToken, ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch })
}

async function tagOf(path: string, accessToken: string): Promise<string> {
  const { status, headers } = await getPage(path, accessToken)
  expect(status).toBe(200)
  return headers.get('etag') ?? ''
}

/** Changes the directory and, like an import, the firm's `changed_at`. */
async function change(statement: string): Promise<void> {
  await query(db.direct, `${statement}; UPDATE firms SET changed_at = changed_at + interval '1 microsecond'`)
}

describe.each(paths)('%s', (path) => {
  test('has a strong ETag that is the same for another token of the same user and contains no id', async () => {
    const tag = await tagOf(path, ada)
    expect(tag).toMatch(/^"[A-Za-z0-9_-]{22}"$/)
    expect(await tagOf(path, await accessTokenOf(db.direct, 'ada'))).toBe(tag)
  })

  test('is 304 while nothing has changed, with the headers that a cache needs and no others', async () => {
    const { headers: first } = await getPage(path, ada)
    const tag = first.get('etag') ?? ''
    const { status, headers, text } = await getPage(path, ada, tag)
    expect({ status, text }).toEqual({ status: 304, text: '' })
    for (const name of ['etag', 'cache-control', 'vary']) expect(headers.get(name)).toBe(first.get(name))
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('vary')).toBe('Authorization, Accept-Encoding')
    for (const name of ['link', 'content-type', 'content-length']) expect(headers.has(name)).toBe(false)
  })

  test('is 200 with a new ETag after the directory changed', async () => {
    const tag = await tagOf(path, ada)
    await change(
      `UPDATE households SET name = name || '.'; UPDATE accounts SET name = coalesce(name, '') || '.'`,
    )
    const { status, headers, text } = await getPage(path, ada, tag)
    expect(status).toBe(200)
    expect(text).toMatch(/\.","|\."}/)
    expect(headers.get('etag')).not.toBe(tag)
  })

  test("is 200 for the ETag of another user's page or of another page", async () => {
    const others = [await tagOf(path, bob), await tagOf('households?page=1', ada)]
    for (const tag of [...others, others.join(', ')]) {
      const { status, text } = await getPage(path, ada, tag)
      expect({ status, text }).toEqual({ status: 200, text: (await getPage(path, ada)).text })
    }
  })

  test('is 304 for a weak tag, a list with the tag, the tag of a compressed page, and *', async () => {
    const tag = await tagOf(path, ada)
    const coded = (coding: string) => tag.replace(/"$/, `-${coding}"`)
    const given = [
      `W/${tag}`,
      `"x", W/"y",${tag} , "z"`,
      coded('br'),
      `W/${coded('gzip')}`,
      `${coded('gzip')}, ${tag}`,
      '*',
    ]
    const sent = [tag, tag, coded('br'), coded('gzip'), tag, tag]
    const answers = []
    for (const value of given) answers.push(await getPage(path, ada, value))
    expect(answers.map(({ status }) => status)).toEqual(given.map(() => 304))
    expect(answers.map(({ headers }) => headers.get('etag'))).toEqual(sent)
  })

  test('is 200 for a malformed If-None-Match and for a tag without its quotes', async () => {
    const tag = await tagOf(path, ada)
    const bare = tag.replaceAll('"', '')
    const garbage = ['', '"', '""', '"""', 'W/', ',,,', '*, "x"', '**', bare, `"${bare}`, `"${bare}-zstd"`]
    for (const value of [...garbage, '\u00ff"', '"'.repeat(8000), '"x", '.repeat(2000), "'; --", '%00']) {
      expect((await getPage(path, ada, value)).status).toBe(200)
    }
  })

  test('runs one statement for a current tag, and one more than an unconditional read for an old tag', async () => {
    const read = path.includes('name_pattern') ? 2 : 1 // a search counts before it reads
    const tag = await tagOf(path, ada)
    const cost = (value?: string) => db.statementsDuring(() => getPage(path, ada, value))
    expect([await cost(), await cost(tag), await cost('*'), await cost('"old"')]).toEqual([
      read,
      1,
      read,
      read + 1,
    ])
  })

  test('a 304 does not read households or accounts', async () => {
    const tag = await tagOf(path, ada)
    const other = new pg.Client({ connectionString: db.url })
    await other.connect()
    try {
      await other.query('BEGIN; LOCK TABLE households, accounts, account_access')
      expect((await getPage(path, ada, tag)).status).toBe(304)
      const reading = getPage(path, ada)
      const waiting = 'SELECT FROM pg_locks WHERE NOT granted AND relation IS NOT NULL'
      await expect.poll(() => query(db.direct, waiting)).not.toEqual([])
      await other.query('ROLLBACK')
      expect((await reading).status).toBe(200)
    } finally {
      await other.end()
    }
  })

  test('answers HEAD with headers only, under the same condition', async () => {
    const headers = { authorization: `Bearer ${ada}` }
    const head = (more: Record<string, string>) =>
      fetch(`${server.baseUrl}api/v1/${path}`, { method: 'HEAD', headers: { ...headers, ...more } })
    const { headers: got, text } = await getPage(path, ada)
    const answer = await head({})
    expect([answer.status, await answer.text()]).toEqual([200, ''])
    for (const name of ['etag', 'link', 'content-type', 'vary'])
      expect(answer.headers.get(name)).toBe(got.get(name))
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
    expect((await head({ 'if-none-match': got.get('etag') ?? '' })).status).toBe(304)
  })
})

describe('checks that come before If-None-Match', () => {
  test('a revoked, expired, unknown or missing token is 401 with any tag', async () => {
    const expired = await accessTokenOf(db.direct, 'ada', { expiresIn: -1 })
    const leaving = await accessTokenOf(db.direct, 'ada', { clientId: 'leaving' })
    const tag = await tagOf('households', leaving)
    expect((await getPage('households', leaving, tag)).status).toBe(304)
    await query(db.direct, `UPDATE grants SET revoked_at = now() WHERE client_id = 'leaving'`)
    for (const token of [leaving, expired, '', leaving.replace('lk_test', 'lk_live')]) {
      for (const value of [tag, '*']) {
        const { status, headers } = await getPage('households', token, value)
        expect(status).toBe(401)
        expect(headers.get('cache-control')).toBe('no-store')
        expect(headers.has('etag')).toBe(false)
      }
    }
  })

  test('a household that the user may not see is 404, also for If-None-Match: *', async () => {
    await change(`INSERT INTO households (id, firm_id, name) VALUES ('away', 'firm-1', 'away')`)
    const tag = await tagOf('households/away/accounts', ada)
    await change(`UPDATE households SET firm_id = 'firm-2' WHERE id = 'away'`)
    for (const id of ['away', 'none']) {
      for (const value of [tag, '*']) {
        const { status, headers } = await getPage(`households/${id}/accounts`, ada, value)
        expect(status).toBe(404)
        expect(headers.get('cache-control')).toBe('no-store')
        expect(headers.has('etag')).toBe(false)
      }
    }
  })

  test('an invalid parameter is 400', async () => {
    expect((await getPage('households?page=x', ada, '*')).status).toBe(400)
  })
})

test.each(paths)(
  '%s has another ETag after the user’s role or firm changed, although the firm’s data did not change',
  async (path) => {
    const cleo = await accessTokenOf(db.direct, 'cleo')
    const tags = [await tagOf(path, cleo)]
    await query(db.direct, `INSERT INTO account_access VALUES ('cleo', 'a1', 'h1') ON CONFLICT DO NOTHING`)
    await query(db.direct, `INSERT INTO roles VALUES ('sees-granted', 'granted') ON CONFLICT DO NOTHING`)
    await query(db.direct, `UPDATE users SET role = 'sees-granted' WHERE id = 'cleo'`)
    const { status, headers } = await getPage(path, cleo, tags[0])
    expect(status).toBe(200)
    tags.push(headers.get('etag') ?? '')
    await query(db.direct, `UPDATE firms SET changed_at = (SELECT changed_at FROM firms WHERE id = 'firm-1')`)
    await query(db.direct, `UPDATE users SET role = 'sees-firm', firm_id = 'firm-2' WHERE id = 'cleo'`)
    expect((await getPage(path, cleo, tags.join(', '))).status).toBe(path.includes('h1') ? 404 : 200)
    await query(db.direct, `UPDATE users SET firm_id = 'firm-1' WHERE id = 'cleo'`)
    expect((await getPage(path, cleo, tags[0])).status).toBe(304)
  },
)

test('a 304 counts as a use of the grant, but not as a read', async () => {
  const dan = await accessTokenOf(db.direct, 'dan')
  const tag = await tagOf('households', dan)
  await server.context.usage.write()
  const before = await readsOf(db.direct, 'dan')
  await query(db.direct, `UPDATE grants SET last_used_at = NULL WHERE user_id = 'dan'`)
  expect((await getPage('households', dan, tag)).status).toBe(304)
  await server.context.usage.write()
  expect(before).toEqual({ requests: 1, households: 3, accounts: 0 })
  expect(await readsOf(db.direct, 'dan')).toEqual(before)
  expect(await lastUse(db.direct, 'dan')).toBeInstanceOf(Date)
  expect(server.logs()).toContain(
    '"outcome":"not_modified","client_id":"test_of_access_tokens","user_id":"dan"',
  )
})

test('a page has the same ETag at each of its addresses', async () => {
  const headers = { authorization: `Bearer ${ada}` }
  const root = await fetch(`${server.authUrl}/api/v1/households?page_size=0100&page=0&x=1`, { headers })
  expect(root.headers.get('etag')).toBe(await tagOf('households', ada))
})

test.each(['households?limit=2', 'households?limit=2&name_contains=h', 'households/h1'])(
  'version 2, %s: 304 until the firm changes, and only for the same user',
  async (path) => {
    const get = (accessToken: string, tag = '') =>
      fetch(`${server.baseUrl}api/v2/${path}`, {
        headers: { authorization: `Bearer ${accessToken}`, 'if-none-match': tag },
      })
    const tag = (await get(ada)).headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[A-Za-z0-9_-]{22}"$/)
    expect((await get(ada, tag)).status).toBe(304)
    expect((await get(bob, tag)).status).toBe(200)
    await change('SELECT')
    expect((await get(ada, tag)).status).toBe(200)
  },
)

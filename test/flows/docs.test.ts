import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { type HTMLElement, parse } from 'node-html-parser'
import { describe, expect, test } from 'vitest'
import { errorPages } from '../../src/errors/catalogue.ts'
import { chooseTexts } from '../../src/web/languages/languages.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { serverFixture } from '../support/fixtures.ts'
import { Visitor } from '../support/visitor.ts'

const server = await serverFixture({
  users: ['ada'],
  households: [{ id: 'h1', name: 'Lovelace' }],
  accounts: [{ id: 'a1', household: 'h1' }],
})
const root = `${server.baseUrl}docs`

type Page = { status: number; headers: Headers; text: string; document: HTMLElement }

async function open(address: string, headers: Record<string, string> = {}): Promise<Page> {
  const response = await fetch(address, { redirect: 'manual', headers })
  const text = await response.text()
  // By default, this parser does not look into `<pre>`.
  const document = parse(text, { blockTextElements: { script: true, style: true } })
  return { status: response.status, headers: response.headers, text, document }
}

const idsOf = ({ document }: Page) => document.querySelectorAll('[id]').map(({ id }) => id)

describe('all pages that links in the docs lead to', async () => {
  const pages = new Map<string, Page>()
  const targets: { from: string; href: URL }[] = []
  const unread = [root]
  for (let address = unread.pop(); address; address = unread.pop()) {
    if (pages.has(address)) continue
    const page = await open(address)
    pages.set(address, page)
    for (const link of page.document.querySelectorAll('a[href]')) {
      const href = new URL(link.getAttribute('href') ?? '', address)
      targets.push({ from: address, href })
      const target = href.href.replace(/#.*/, '')
      if (target === root || target.startsWith(`${root}/`)) unread.push(target)
    }
  }
  const addresses = [...pages.keys()]

  test('answer 200, each with one main heading, another title, and ids that do not repeat', () => {
    expect([...pages].filter(([, { status }]) => status !== 200).map(([address]) => address)).toEqual([])
    const titles = [...pages.values()].map(({ document }) => document.querySelector('title')?.text)
    expect(new Set(titles).size).toBe(pages.size)
    for (const [address, page] of pages) {
      expect(page.document.querySelectorAll('h1').length, address).toBe(1)
      const ids = idsOf(page)
      expect(
        ids.filter((id, place) => ids.indexOf(id) !== place),
        address,
      ).toEqual([])
      expect(page.text, address).not.toMatch(/\{(base|auth)_url\}/)
    }
  })

  test('have the anchors of the links to them', () => {
    const dangling = targets.filter(({ href }) => {
      const page = pages.get(href.href.replace(/#.*/, ''))
      return page && href.hash !== '' && !idsOf(page).includes(decodeURIComponent(href.hash.slice(1)))
    })
    expect(dangling.map(({ from, href }) => `${from}: ${href.href}`)).toEqual([])
  })

  test('include every guide, every error code, and the reference', () => {
    const guides = readdirSync('docs/partners').map((file) => file.replace(/\.md$/, ''))
    const paths = ['reference', ...guides, ...errorPages.map(({ code }) => `errors/${code}`)]
    expect(paths.map((path) => `${root}/${path}`).filter((address) => !addresses.includes(address))).toEqual(
      [],
    )
  })

  test('the page of an error code has each of its causes under the anchor that errors lead to', () => {
    for (const { code, causes } of errorPages) {
      const page = pages.get(`${root}/errors/${code}`)
      expect(page && idsOf(page), code).toEqual(expect.arrayContaining(causes.map(({ anchor }) => anchor)))
    }
  })
})

test('the client library of this release can be installed from the docs', async () => {
  const response = await fetch(`${server.baseUrl}docs/latchkey-client.tgz`)
  expect(response.headers.get('content-type')).toBe('application/gzip')
  const archive = gunzipSync(Buffer.from(await response.arrayBuffer())).toString('latin1')
  expect(archive).toContain('package/dist/esm/index.js')
  expect(archive).toContain('"name": "@latchkey/client"')
})

describe('the reference', async () => {
  const { document } = await open(`${root}/reference`)
  const described = JSON.parse((await open(`${server.baseUrl}openapi.json`)).text)

  test('has every operation of openapi.json with its parameters and statuses, and every named object', () => {
    const operations = Object.entries<Record<string, Operation>>(described.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        ...operation,
      })),
    )
    expect(operations.length).toBeGreaterThan(5)
    for (const { operationId, method, path, parameters = [], responses } of operations) {
      const section = document.querySelector(`section[aria-labelledby=${operationId}]`)
      expect(section?.querySelector('.address')?.text).toContain(`${method} ${path}`)
      const firstCells = section?.querySelectorAll('td:first-child code').map(({ text }) => text)
      const names = parameters.map(({ name, $ref }) => name ?? $ref?.split('/').at(-1))
      expect(firstCells, operationId).toEqual(expect.arrayContaining([...names, ...Object.keys(responses)]))
    }
    const objects = document.querySelectorAll('h3[id]').map(({ id }) => id)
    expect(objects).toEqual(expect.arrayContaining(Object.keys(described.components.schemas)))
  })

  test.each(['sh', 'ts'] as const)('its examples of reading calls work as they are: %s', async (language) => {
    const env = {
      PATH: process.env.PATH,
      ACCESS_TOKEN: await accessTokenOf(server.database, 'ada'),
      HOUSEHOLD_ID: 'h1',
    }
    const reading = Object.entries<Record<string, Operation>>(described.paths).flatMap(
      ([, { get }]) => get ?? [],
    )
    const samples = reading.flatMap(({ operationId }) => {
      const section = document.querySelector(`section[aria-labelledby=${operationId}]`)
      return section?.querySelector(`figure[data-tab=${language}] pre code`)?.text ?? []
    })
    expect(samples.length).toBe(reading.length)
    const program = samples
      .map((sample) => (language === 'sh' ? `${sample}\necho` : `{\n${sample}\n}`))
      .join('\n')
    const [command, ...args] =
      language === 'sh' ? ['bash', '-euc', program] : ['node', '--input-type=module', '-e', program]
    const { stdout } = await promisify(execFile)(command ?? '', args, { env })
    for (const part of ['h1', 'Lovelace', 'a1', 'sub']) expect(stdout).toContain(part)
    expect(stdout).not.toMatch(/problem|error/)
  })
})

type Operation = {
  operationId: string
  parameters?: { name?: string; $ref?: string }[]
  responses: Record<string, unknown>
}

describe('the search, without script', () => {
  const find = async (query: string) => {
    const page = await open(`${root}/search?q=${encodeURIComponent(query)}`)
    return page.document.querySelectorAll('.results a').map((link) => link.getAttribute('href') ?? '')
  }

  test('finds error codes, parameters, headings, and words with a typing error', async () => {
    const path = new URL(root).pathname
    expect((await find('invalid_grant'))[0]).toBe(`${path}/errors/invalid_grant`)
    expect(await find('updated_since')).toContain(`${path}/reference#syncHouseholds`)
    expect(await find('refresh the tokens')).toContain(`${path}/quick-start#5-refresh-the-tokens`)
    expect(await find('housholds')).toContain(`${path}/quick-start#4-read-households`)
    expect(await find('zzzzzz')).toEqual([])
    expect(await find('')).toEqual([])
  })

  test('only the first 200 characters of a long query count', async () => {
    const words = 'token '.repeat(40).slice(0, 200)
    expect(await find(`${words} zzzzzz`)).toEqual(await find(words))
    expect((await find(words)).length).toBeGreaterThan(0)
  })
})

describe('addresses and caching', () => {
  test('two slashes after {base_url}, and a slash at the end', async () => {
    for (const path of [
      'docs',
      'docs/',
      'docs/quick-start',
      'docs/search?q=token',
      'docs/errors/invalid_grant',
    ]) {
      const [single, literal] = [await open(server.baseUrl + path), await open(`${server.baseUrl}/${path}`)]
      expect([path, single.status, literal.status]).toEqual([path, 200, 200])
      expect(literal.text).toBe(single.text)
    }
    const { status, headers } = await open(`${root}/quick-start/`)
    expect([status, headers.get('location')]).toEqual([308, `${new URL(root).pathname}/quick-start`])
    const slashes = '/'.repeat(10_000)
    expect((await open(`${root}/quick-start${slashes}`)).headers.get('location')).toBe(
      headers.get('location'),
    )
    expect((await open(`${root}/quick-start${slashes}x`)).status).toBe(404)
    expect((await open(`${root}/nowhere`)).document.querySelector('input[name=q]')).not.toBeNull()
  })

  test('a page is compressed, cached for five minutes, and revalidated', async () => {
    const plain = await open(`${root}/reference`, { 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    for (const coding of ['br', 'gzip']) {
      const { headers, text } = await open(`${root}/reference`, { 'accept-encoding': coding })
      expect(headers.get('content-encoding')).toBe(coding)
      expect(headers.get('cache-control')).toBe('public, max-age=300')
      expect(headers.get('vary')).toBe('accept-encoding')
      expect(text).toBe(plain.text)
      expect(Number(headers.get('content-length'))).toBeLessThan(plain.text.length / 4)
      const etag = headers.get('etag') ?? ''
      expect(etag).not.toBe(plain.headers.get('etag'))
      const again = await open(`${root}/reference`, { 'accept-encoding': coding, 'if-none-match': etag })
      expect([again.status, again.text]).toEqual([304, ''])
    }
    const other = await open(`${root}/reference`, { 'if-none-match': '"other"' })
    expect(other.status).toBe(200)
  })
})

test.each([
  ['en', 'Read the documentation'],
  ['de', 'Zur Dokumentation (auf Englisch)'],
  ['fr', 'Lire la documentation (en anglais)'],
  ['es', 'Leer la documentación (en inglés)'],
])('the front page leads to the docs and to the login: %s', async (language, label) => {
  const page = await new Visitor().get(server.authUrl, { 'accept-language': language })
  expect(page.status).toBe(200)
  expect(page.document.querySelector('.badge')?.text).toBe(chooseTexts(language, undefined).frame.sandbox)
  const links = page.document.querySelectorAll('main a').map((link) => [link.getAttribute('href'), link.text])
  expect(links).toEqual([
    ['/login', expect.any(String)],
    [root, label],
    ['/developers', expect.any(String)],
    ['/admin', expect.any(String)],
  ])
  expect(page.headers.getSetCookie()).toEqual([])
})

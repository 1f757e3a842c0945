import { type IncomingHttpHeaders, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { replaceDirectory } from '../support/directory-rows.ts'
import { serverFixture } from '../support/fixtures.ts'

const server = await serverFixture()
const households = Array.from({ length: 900 }, (_, number) => ({
  id: `h${number}`,
  firm: 'firm-1',
  name: `Frau Ärmel und Söhne 家 ${number}`,
}))
await replaceDirectory(server.database, {
  users: [{ id: 'ada', firm: 'firm-1', sees: 'firm' }],
  households,
  accounts: households.map((_, number) => ({ id: `a${number}`, household: 'h1', status: 'active' })),
})
const accessToken = await accessTokenOf(server.database, 'ada')

type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer }

/** Does not use `fetch`, which sends its own Accept-Encoding and decodes the body. */
function get(path: string, more: Record<string, string> = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${accessToken}`, ...more }
  return new Promise((resolve, reject) => {
    const sent = request(`${server.baseUrl}api/v1/${path}`, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      )
    })
    sent.on('error', reject).end()
  })
}

const decoders: Record<string, (body: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync }

function decoded({ headers, body }: Answer): string {
  const coding = headers['content-encoding']
  const decode = coding === undefined ? (plain: Buffer) => plain : decoders[coding]
  if (!decode) throw new Error(`unexpected content-encoding ${coding}`)
  return decode(body).toString()
}

const large = ['households?page_size=1000', 'households/h1/accounts?page_size=1000']

describe.each(large)('%s', (path) => {
  test.each(['br', 'gzip'])(
    'compressed with %s: the same text, at most a third of the bytes, and its own ETag',
    async (coding) => {
      const plain = await get(path)
      const answer = await get(path, { 'accept-encoding': coding })
      expect(answer.headers['content-encoding']).toBe(coding)
      expect(answer.headers['content-length']).toBe(String(answer.body.length))
      expect(answer.body.length).toBeLessThan(plain.body.length / 3)
      expect(decoded(answer)).toBe(plain.body.toString())
      expect(answer.headers.etag).toBe(plain.headers.etag?.replace(/"$/, `-${coding}"`))
      for (const name of ['content-type', 'cache-control', 'vary', 'link']) {
        expect(answer.headers[name]).toBe(plain.headers[name])
      }
      const conditional = { 'accept-encoding': coding, 'if-none-match': String(answer.headers.etag) }
      const again = await get(path, conditional)
      expect([again.status, again.headers.etag, again.body.length]).toEqual([304, answer.headers.etag, 0])
      expect(again.headers['content-encoding']).toBeUndefined()
    },
  )
})

test.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate, zstd', undefined],
  ['gzip;q=0, br;q=0', undefined],
  ['gzip;q=0.1, identity', undefined],
  ['gzip, deflate, br', 'gzip'],
  ['br, gzip', 'br'],
  ['gzip;q=0.5, br;q=0.9', 'br'],
  ['GZIP', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
])('Accept-Encoding: %s gets %s', async (accepted, coding) => {
  const headers: Record<string, string> = accepted === undefined ? {} : { 'accept-encoding': accepted }
  const answer = await get('households?page_size=1000', headers)
  expect([answer.status, answer.headers['content-encoding']]).toEqual([200, coding])
})

test('any Accept-Encoding, valid or malformed, gets the same text in an accepted coding', async () => {
  const part = fc.constantFrom(
    'gzip',
    'br',
    'deflate',
    'identity',
    '*',
    ';q=0',
    ';q=0.5',
    ';q=x',
    ',',
    ' ',
    '=',
  )
  const plain = (await get('households?page_size=1000')).body.toString()
  const check = fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
    const accepted = parts.join('')
    const answer = await get('households?page_size=1000', { 'accept-encoding': accepted })
    expect(answer.status).toBe(200)
    expect(decoded(answer)).toBe(plain)
    const coding = answer.headers['content-encoding']
    expect(coding === undefined || accepted.includes(coding) || accepted.includes('*')).toBe(true)
  })
  await fc.assert(check, { numRuns: 60 })
})

test('a page of the default size, a search and an error are not compressed', async () => {
  for (const path of [
    'households',
    'households?name_pattern=899',
    'households?page=x',
    'households/x/accounts',
  ]) {
    const { headers } = await get(path, { 'accept-encoding': 'br, gzip' })
    expect(headers['content-encoding']).toBeUndefined()
  }
})

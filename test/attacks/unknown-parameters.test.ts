import { describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { getRaw } from '../support/raw-socket.ts'

const server = await serverFixture({ users: ['ada'], households: [{ id: 'h1', name: 'One' }] })
const accessToken = await accessTokenOf(server.database, 'ada')

const header = 'api-unknown-parameters'
const reported = async (path: string, headers?: Record<string, string>) => {
  const answer = await api(server, path, accessToken, headers)
  return { status: answer.status, etag: answer.headers.get('etag'), names: answer.headers.get(header) }
}

describe('a parameter that an operation does not know is ignored and reported', () => {
  test.each([
    ['pagesize=1', '"pagesize";use="page_size"'],
    ['pageSize=1', '"pageSize";use="page_size"'],
    ['page-size=1', '"page-size";use="page_size"'],
    ['page_sise=1', '"page_sise";use="page_size"'],
    ['per_page=1', '"per_page";use="page_size"'],
    ['limit=1', '"limit";use="page_size"'],
    ['q=x', '"q";use="name_pattern"'],
    ['namePattern=x', '"namePattern";use="name_pattern"'],
    ['offset=1', '"offset";use="page"'],
    ['date=1', '"date"'],
    ['updated_since=x', '"updated_since"'],
    ['page[]=1', '"page[]";use="page"'],
    ['page=0&q=x&x=1&cursor=', '"q";use="name_pattern", "x"'],
  ])('v1: ?%s', async (query, names) => {
    expect(await reported(`households?${query}`)).toMatchObject({ status: 200, names })
  })

  test.each([
    ['page_size=1', '"page_size";use="limit"'],
    ['since=x', '"since";use="updated_since"'],
    ['name_pattern=x', '"name_pattern";use="name_contains"'],
    ['page=2', '"page";use="cursor"'],
  ])('v2: ?%s', async (query, names) => {
    expect(await reported(`../v2/households?${query}`)).toMatchObject({ status: 200, names })
  })

  test('an operation without query parameters, an error, and a refused call report them too', async () => {
    expect(await reported('../v2/households/h1?expand=1')).toMatchObject({ status: 200, names: '"expand"' })
    expect(await reported('households/none/accounts?name=x')).toMatchObject({ status: 404, names: '"name"' })
    expect(await reported('households?page=x&q=1')).toMatchObject({ status: 400, names: /"q"/ })
    const stranger = await api(server, 'households?q=1')
    expect([stranger.status, stranger.headers.get(header)]).toEqual([401, '"q";use="name_pattern"'])
  })

  test('no header if all are known; the ETag does not depend on unknown ones, and 304 reports them again', async () => {
    const known = await reported('households?page=0&page_size=1&name_pattern=O')
    expect(known).toMatchObject({ status: 200, names: null })
    const more = await reported('households?page=0&page_size=1&name_pattern=O&colour=1')
    expect(more).toEqual({ ...known, names: '"colour"' })
    const again = await reported('households?page=0&page_size=1&name_pattern=O&colour=1', {
      'if-none-match': known.etag ?? '',
    })
    expect(again).toEqual({ ...more, status: 304 })
  })
})

describe('73: names of parameters that forge headers', () => {
  const namesOf = async (query: string) => {
    const path = `/service-open-api/api/v1/households?${query}`
    const answer = await getRaw(server.authUrl, path, [`authorization: Bearer ${accessToken}`])
    return {
      status: answer?.status,
      names: answer?.headers.get(header),
      cookie: answer?.headers.get('set-cookie'),
    }
  }

  test.each([
    ['line breaks', 'a%0d%0aset-cookie:%20a%3db', '"a??set-cookie: a=b"'],
    ['an encoded line feed in UTF-8 letters', '%c4%8a%c4%8dx', '"??x"'],
    ['quotation marks', 'a%22;use%3d%22evil', '"a?;use=?evil"'],
    ['a backslash at the end', 'a%5c', '"a?"'],
    ['tabs and control characters', '%09%01%7f', '"???"'],
    ['an emoji', '%F0%9F%98%80', '"??"'],
    ['a name of the prototype', '__proto__', '"__proto__"'],
    ['a property of every object', 'constructor', '"constructor"'],
    ['an empty name', '=1', '""'],
  ])('%s', async (_case, query, names) => {
    expect(await namesOf(query)).toEqual({ status: 200, names, cookie: undefined })
  })

  test('many and long names: the header stays short', async () => {
    const query = Array.from({ length: 200 }, (_, index) => `${'x'.repeat(50)}${index}=`).join('&')
    const { status, names } = await namesOf(query)
    expect(status).toBe(200)
    expect(names).toBe(Array.from({ length: 8 }, () => `"${'x'.repeat(40)}"`).join(', '))
  })
})

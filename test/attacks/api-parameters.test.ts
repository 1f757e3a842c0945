import { describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { problemIn } from '../support/problem.ts'
import { getRaw } from '../support/raw-socket.ts'

const households = '/service-open-api/api/v1/households'

const server = await serverFixture({ users: ['ada'], households: [{ id: 'h1', name: 'One' }] })
const accessToken = await accessTokenOf(server.database, 'ada')

describe('30: page and page_size contain only decimal digits', () => {
  const refused = [
    '-1',
    '-0',
    '%2B5',
    '+5',
    '%207%20',
    '7%0A',
    '',
    '1.5',
    '1.0',
    '1e2',
    '1e9',
    '0x10',
    '0b1',
    '0o7',
    '1_000',
    '1,000',
    '10abc',
    'abc',
    'null',
    'true',
    'NaN',
    'Infinity',
    '[1]',
    '%7B%7D',
    '%D9%A3', // ARABIC-INDIC DIGIT THREE
    '%EF%BC%97', // FULLWIDTH DIGIT SEVEN
    '9007199254740992',
    '9007199254740993',
    '18446744073709551617',
    '1'.repeat(1000),
  ]
  for (const path of ['households', 'households/h1/accounts']) {
    for (const name of ['page', 'page_size']) {
      const values = name === 'page_size' ? [...refused, '0', '000', '1001', '9007199254740991'] : refused
      test(`${name} of ${path}: 400 for every bad value, and the error names the parameter`, async () => {
        const wrong: string[] = []
        for (const value of values) {
          const { status, body, headers } = await api(server, `${path}?${name}=${value}`, accessToken)
          const range = name === 'page' ? 'from 0 to 9007199254740991' : 'from 1 to 1000'
          const detail = `must be a whole number ${range}, in decimal digits`
          const expected = {
            code: 'invalid_parameter',
            detail: `${name} ${detail}.`,
            errors: [{ parameter: name, detail }],
          }
          if (status !== 400 || headers.get('content-type') !== 'application/problem+json; charset=utf-8')
            wrong.push(value)
          expect(body, value).toMatchObject(expected)
        }
        expect(wrong).toEqual([])
      })

      test(`${name} of ${path} twice, even with the same value: 400, and the error says so`, async () => {
        const { status, body } = await api(server, `${path}?${name}=1&${name}=1`, accessToken)
        expect(status).toBe(400)
        expect(body).toMatchObject({ errors: [{ parameter: name, detail: 'was sent more than once' }] })
      })
    }
  }

  test('the error names both of two bad parameters', async () => {
    const { body } = await api(
      server,
      'households?page=x&page_size=y&name_pattern=1&name_pattern=2',
      accessToken,
    )
    expect(body).toMatchObject({
      errors: [{ parameter: 'page' }, { parameter: 'page_size' }, { parameter: 'name_pattern' }],
    })
  })

  test.each(['page=0', 'page=000', 'page_size=1000', 'page_size=007', 'page=9007199254740991'])(
    '%s is fine',
    async (query) => {
      expect((await api(server, `households?${query}`, accessToken)).status).toBe(200)
    },
  )

  test('names are compared exactly: PAGE and page[] are unknown parameters and are ignored', async () => {
    expect((await api(server, 'households?PAGE=x&page[]=x&page%20=x', accessToken)).body).toHaveLength(1)
  })
})

describe('31: queries that are not percent-encoded UTF-8 text', () => {
  test.each([
    ['NUL', '%00'],
    ['a lone high surrogate', '%ED%A0%80'],
    ['a lone low surrogate', '%ED%BF%BF'],
    ['an overlong slash', '%C0%AF'],
    ['half a character', '%C3'],
    ['a Latin-1 byte', '%E9'],
    ['beyond Unicode', '%F4%90%80%80'],
    ['%zz', '%zz'],
    ['% at the end', '%'],
    ['half an escape', '%4g'],
    ['a raw byte', '\xff'],
    ['raw UTF-8', '\xc3\xa9'],
    ['UTF-16 escapes', '%u0041'],
  ])('%s: 400', async (_name, text) => {
    for (const query of [`name_pattern=${text}`, `name_pattern=a${text}b`, `unknown=${text}`, `${text}=1`]) {
      const answer = await getRaw(server.authUrl, `${households}?${query}`, [
        `authorization: Bearer ${accessToken}`,
      ])
      expect(problemIn(answer)).toMatchObject({ status: 400, code: 'bad_request' })
    }
  })

  test('raw UTF-8: the error says what is wrong with the address', async () => {
    const answer = await getRaw(server.authUrl, `${households}?name_pattern=\xc3\xa9`)
    expect(problemIn(answer)).toMatchObject({ detail: 'The address is not a percent-encoded URL.' })
  })

  test('1 MB: refused, and the server keeps working', async () => {
    const answer = await getRaw(server.authUrl, `${households}?name_pattern=${'a'.repeat(1_000_000)}`)
    // The server closes the connection while the client still sends. Its response may or may not arrive.
    expect(answer?.status ?? 431).toBe(431)
    expect((await api(server, 'households', accessToken)).status).toBe(200)
  })
})

import { describe, expect, test } from 'vitest'
import { connectionOf, tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { send, type TokenAnswer } from '../support/journey.ts'
import { neverIssued } from '../support/never-issued.ts'
import { credentials, expectError, postForm, postJson } from '../support/token-endpoint.ts'

const server = await serverFixture({ users: ['ada'], households: ['h1'] })
const partner = await server.partner()

describe('RFC 6749 section 5.2: errors name the fault and the remedy', () => {
  const rt = neverIssued('rt')

  test.each<[string, Record<string, string>, string, RegExp]>([
    [
      'no grant_type',
      {},
      'invalid_request',
      /^grant_type is missing\. Send authorization_code or refresh_token\.$/,
    ],
    [
      'another grant_type',
      { grant_type: 'password' },
      'unsupported_grant_type',
      /authorization_code or refresh_token/,
    ],
    ['grant_type in upper case', { grant_type: 'REFRESH_TOKEN' }, 'unsupported_grant_type', /refresh_token/],
    [
      'a grant_type that is a property of Object.prototype',
      { grant_type: 'constructor' },
      'unsupported_grant_type',
      /refresh_token/,
    ],
    ['no code', { grant_type: 'authorization_code' }, 'invalid_request', /^code is missing/],
    ['an empty code', { grant_type: 'authorization_code', code: '' }, 'invalid_request', /^code is missing/],
    ['no refresh_token', { grant_type: 'refresh_token' }, 'invalid_request', /^refresh_token is missing/],
    [
      'code instead of refresh_token',
      { grant_type: 'refresh_token', code: rt },
      'invalid_request',
      /^refresh_token is/,
    ],
    [
      'another token_type',
      { grant_type: 'refresh_token', refresh_token: rt, token_type: 'access' },
      'invalid_request',
      /The only supported token_type is id/,
    ],
    [
      'a truncated code',
      { grant_type: 'authorization_code', code: 'lk_test_ac_abc' },
      'invalid_grant',
      /^Malformed authorization code\./,
    ],
    [
      'an access token as code',
      { grant_type: 'authorization_code', code: neverIssued('at') },
      'invalid_grant',
      /^An access token was sent where an authorization code is expected\.$/,
    ],
    [
      'a code as refresh_token',
      { grant_type: 'refresh_token', refresh_token: neverIssued('ac') },
      'invalid_grant',
      /^An authorization code was sent where a refresh token is expected\.$/,
    ],
    [
      'a code that was never issued',
      { grant_type: 'authorization_code', code: neverIssued('ac') },
      'invalid_grant',
      /^Unknown or expired authorization code/,
    ],
    [
      'a refresh token that was never issued',
      { grant_type: 'refresh_token', refresh_token: rt },
      'invalid_grant',
      /^Unknown or expired refresh token/,
    ],
  ])('%s', async (_case, parameters, error, description) => {
    expectError(await postForm(server, { ...credentials(partner), ...parameters }), 400, error, description)
    expectError(await postJson(server, { ...credentials(partner), ...parameters }), 400, error, description)
  })

  test.each(['client_id', 'client_secret', 'grant_type', 'refresh_token', 'token_type', 'nobody_knows_me'])(
    '%s sent twice, even with the same value: invalid_request with its name',
    async (name) => {
      const { refreshToken } = await tokensFor(server, partner, 'ada')
      const fields = new Map<string, string>(
        Object.entries({
          ...credentials(partner),
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
          token_type: 'id',
          nobody_knows_me: '1',
        }),
      )
      const form = new URLSearchParams([...fields, [name, fields.get(name) ?? '']])
      expectError(
        await postForm(server, form.toString()),
        400,
        'invalid_request',
        new RegExp(`^${name} was sent more than once`),
      )
      const json = Object.fromEntries(
        [...fields].map(([key, value]) => [key, key === name ? [value, value] : value]),
      )
      expectError(
        await postJson(server, json),
        400,
        'invalid_request',
        new RegExp(`^${name} was sent more than once`),
      )
      expect(await connectionOf(server, refreshToken)).toMatchObject({ revoked: false, generation: 1 })
    },
  )

  test.each([
    ['a number', { code: 7 }],
    ['true', { code: true }],
    ['null', { code: null }],
    ['an object', { code: { $ne: '' } }],
    ['a list of numbers', { code: [1] }],
    ['an object as client_secret', { code: 'x', client_secret: { length: 60 } }],
    ['NUL', { code: 'a\0b' }],
    ['NUL in client_id', { code: 'x', client_id: 'a\0b' }],
  ])('JSON with %s for a value: invalid_request', async (_case, more) => {
    const body = { ...credentials(partner), grant_type: 'authorization_code', ...more }
    expectError(await postJson(server, body), 400, 'invalid_request', /Every parameter must be a string/)
  })

  test.each<[string, () => Promise<TokenAnswer>, number, RegExp]>([
    ['a JSON list', () => postJson(server, [credentials(partner)]), 400, /Every parameter must be a string/],
    ['a JSON string', () => postJson(server, '"grant_type"'), 400, /Every parameter must be a string/],
    ['JSON null', () => postJson(server, 'null'), 400, /client_id is missing/],
    ['broken JSON', () => postJson(server, '{"grant_type":'), 400, /not valid JSON/],
    ['an empty JSON body', () => postJson(server, ''), 400, /not valid JSON/],
    ['an empty form', () => postForm(server, ''), 400, /client_id is missing/],
    [
      'no body at all',
      () => send(`${server.baseUrl}oauth2/token`, { method: 'POST' }),
      400,
      /client_id is missing/,
    ],
    ['broken percent-encoding', () => postForm(server, 'grant_type=%zz'), 400, /percent-encoded UTF-8/],
    ['bytes that are not UTF-8', () => postForm(server, 'grant_type=%c3%28'), 400, /percent-encoded UTF-8/],
    ['NUL in a form', () => postForm(server, 'client_id=a%00b'), 400, /NUL/],
    [
      'text/plain',
      () => postForm(server, 'a=b', { 'content-type': 'text/plain' }),
      415,
      /Send .*x-www-form-urlencoded/,
    ],
    [
      'multipart',
      () => postForm(server, 'a=b', { 'content-type': 'multipart/form-data; boundary=x' }),
      415,
      /Send .*x-www-form-urlencoded or application\/json/,
    ],
    [
      'utf-16',
      () => postForm(server, 'a=b', { 'content-type': 'application/json; charset=utf-16' }),
      415,
      /in UTF-8/,
    ],
    ['100 kB', () => postForm(server, `client_id=${'a'.repeat(100_000)}`), 413, /too large/],
  ])(
    'an unreadable body (%s): invalid_request with the remedy',
    async (_case, sendRequest, status, description) => {
      expectError(await sendRequest(), status, 'invalid_request', description)
    },
  )

  test.each<[string, Record<string, string>, string]>([
    ['client_secret', { client_secret: 'x' }, 'client_secret'],
    ['code', { code: 'x' }, 'code'],
    ['refresh_token', { refresh_token: 'x' }, 'refresh_token'],
    ['code_verifier', { code_verifier: 'x' }, 'code_verifier'],
    ['token', { token: 'x' }, 'token'],
    ['an empty code', { code: '' }, 'code'],
    [
      'all of them',
      { client_id: 'a', grant_type: 'authorization_code', client_secret: 'x', code: 'y' },
      'client_secret',
    ],
  ])('%s in the query: refused with the remedy, even if the body is valid', async (_case, query, name) => {
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    const answer = await send(`${server.baseUrl}oauth2/token?${new URLSearchParams(query)}`, {
      method: 'POST',
      body: new URLSearchParams({
        ...credentials(partner),
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
      }),
    })
    expectError(
      answer,
      400,
      'invalid_request',
      new RegExp(
        `^${name} was sent in the query string, which servers log\\. Send it in the request body\\.$`,
      ),
    )
    expect(await connectionOf(server, refreshToken)).toMatchObject({ generation: 1 })
  })

  test('a malformed query: invalid_request', async () => {
    const answer = await send(`${server.baseUrl}oauth2/token?a=%zz`, { method: 'POST' })
    expectError(answer, 400, 'invalid_request', /percent-encoded UTF-8/)
  })

  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s: 405, and the error names POST',
    async (method) => {
      for (const endpoint of ['token', 'revoke', 'introspect']) {
        const answer = await send(`${server.baseUrl}oauth2/${endpoint}?grant_type=refresh_token`, { method })
        expectError(answer, 405, 'invalid_request', /This address takes POST, not/)
        expect(answer.headers.get('allow')).toBe('POST')
      }
    },
  )

  test('X-HTTP-Method-Override is ignored', async () => {
    const answer = await send(`${server.baseUrl}oauth2/token`, {
      headers: { 'x-http-method-override': 'POST' },
    })
    expect(answer.status).toBe(405)
  })
})

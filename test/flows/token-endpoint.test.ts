import { describe, expect, test } from 'vitest'
import { codeFor, tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, send, type TokenAnswer } from '../support/journey.ts'
import { basic, credentials, postForm, postJson } from '../support/token-endpoint.ts'

const server = await serverFixture({ users: ['ada'], households: ['h1'] })
const partner = await server.partner()

const idToken = { id_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) }

function expectTokens(answer: TokenAnswer, more: object): void {
  expect(answer).toMatchObject({ status: 200 })
  expect(answer.body).toEqual({
    access_token: expect.stringMatching(/^lk_test_at_[0-9A-Za-z]{76}$/),
    refresh_token: expect.stringMatching(/^lk_test_rt_[0-9A-Za-z]{76}$/),
    expires_in: 3600,
    token_type: 'Bearer',
    scope: 'openid',
    ...more,
  })
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('pragma')).toBe('no-cache')
}

describe('contract 4.2: all forms of a token request', () => {
  const exchange = async () => ({
    grant_type: 'authorization_code',
    code: await codeFor(server, partner, 'ada'),
  })

  test.each<[string, () => Promise<TokenAnswer>]>([
    ['a form', async () => postForm(server, { ...credentials(partner), ...(await exchange()) })],
    ['JSON', async () => postJson(server, { ...credentials(partner), ...(await exchange()) })],
    [
      'a form and Basic',
      async () => postForm(server, await exchange(), basic(partner.clientId, partner.clientSecret)),
    ],
    [
      'JSON and Basic',
      async () => postJson(server, await exchange(), basic(partner.clientId, partner.clientSecret)),
    ],
    [
      'token_type=id',
      async () => postForm(server, { ...credentials(partner), ...(await exchange()), token_type: 'id' }),
    ],
    [
      'empty parameters, which count as absent',
      async () =>
        postForm(server, {
          ...credentials(partner),
          ...(await exchange()),
          token_type: '',
          redirect_uri: '',
          code_verifier: '',
        }),
    ],
    [
      'unknown parameters',
      async () =>
        postForm(server, { ...credentials(partner), ...(await exchange()), scope: 'openid email', x: '1' }),
    ],
    [
      'names of Object.prototype',
      async () =>
        postForm(server, {
          ...credentials(partner),
          ...(await exchange()),
          __proto__: 'x',
          constructor: 'y',
        }),
    ],
    [
      'a JSON __proto__',
      async () =>
        postJson(
          server,
          JSON.stringify({ ...credentials(partner), ...(await exchange()) }).replace(
            '{',
            '{"__proto__":"x",',
          ),
        ),
    ],
    [
      'charset=UTF-8',
      async () =>
        postForm(
          server,
          { ...credentials(partner), ...(await exchange()) },
          { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
        ),
    ],
    [
      'client_id in the query as well',
      async () =>
        send(`${server.baseUrl}oauth2/token?client_id=${partner.clientId}`, {
          method: 'POST',
          body: new URLSearchParams({ ...credentials(partner), ...(await exchange()) }),
        }),
    ],
    [
      'a refresh, by JSON, token_type=id',
      async () =>
        postJson(server, {
          ...credentials(partner),
          grant_type: 'refresh_token',
          refresh_token: (await tokensFor(server, partner, 'ada')).refreshToken,
          token_type: 'id',
        }),
    ],
  ])(
    '%s: the answer has the fields of contract 2.2 with their types, and is not cached',
    async (_how, sendRequest) => {
      expectTokens(await sendRequest(), idToken)
    },
  )

  test('a refresh: the answer has the four fields of contract 2.2 and the scope, and is not cached', async () => {
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    const request = { ...credentials(partner), grant_type: 'refresh_token', refresh_token: refreshToken }
    expectTokens(await postForm(server, request), {})
    expectTokens(await postJson(server, request), {})
  })

  test('the access token works as a Bearer token', async () => {
    const { accessToken } = await tokensFor(server, partner, 'ada')
    expect((await api(server, 'households', accessToken)).body).toEqual([{ id: 'h1', name: 'h1' }])
  })
})

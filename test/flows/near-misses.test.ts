import { describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, authorizeUrl, send } from '../support/journey.ts'
import { neverIssued } from '../support/never-issued.ts'
import { basic, credentials, expectError, postForm, postJson } from '../support/token-endpoint.ts'
import { redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada'], households: ['h1'] })
const partner = await server.partner()
const accessToken = await accessTokenOf(server.database, 'ada')
const production = await serverFixture({ environment: 'production' })

const page = (code: string) => `${server.baseUrl}docs/errors/${code}`

describe('the token endpoints', () => {
  test('GET: 405 that says how to send the request', async () => {
    const answer = await send(`${server.baseUrl}oauth2/token?grant_type=refresh_token`, {})
    expectError(
      answer,
      405,
      'invalid_request',
      /POST, not GET\..+in the body.+application\/x-www-form-urlencoded/,
    )
    expect(answer.headers.get('allow')).toBe('POST')
    expect(answer.body.error_uri).toBe(page('invalid_request#post-only'))
  })

  test('JSON with the content type of a form, and the reverse', async () => {
    const body = { ...credentials(partner), grant_type: 'refresh_token', refresh_token: neverIssued('rt') }
    for (const text of [JSON.stringify(body), JSON.stringify(body, null, 2)]) {
      const answer = await postForm(server, text)
      expectError(answer, 400, 'invalid_request', /looks like JSON.+Send Content-Type: application\/json/)
      expect(JSON.stringify(answer.body)).not.toContain(partner.clientSecret)
    }
    const form = await postJson(server, new URLSearchParams(body).toString())
    expectError(
      form,
      400,
      'invalid_request',
      /is a form.+Send Content-Type: application\/x-www-form-urlencoded/,
    )
    const plain = await postForm(server, JSON.stringify(body), { 'content-type': 'text/plain' })
    expectError(plain, 415, 'invalid_request', /application\/x-www-form-urlencoded or application\/json/)
  })

  test('an error links to its reason', async () => {
    const refused = async (fields: Record<string, string>) =>
      (await postForm(server, { ...credentials(partner), ...fields })).body.error_uri
    expect(await refused({})).toBe(page('invalid_request#no-grant-type'))
    expect(await refused({ grant_type: 'password' })).toBe(page('unsupported_grant_type#grant-type'))
    const unknown = { grant_type: 'refresh_token', refresh_token: neverIssued('rt') }
    expect(await refused(unknown)).toBe(page('invalid_grant#unknown-refresh-token'))
    const production = { ...unknown, refresh_token: neverIssued('rt', 'production') }
    expect(await refused(production)).toBe(page('invalid_grant#refresh-token-wrong-environment'))
    expect(await refused({ ...unknown, client_secret: neverIssued('cs', 'production') })).toBe(
      page('invalid_client#secret-wrong-environment'),
    )
  })

  test('12: an unknown client, a wrong secret and a wrong Basic secret get the same link', async () => {
    const grant = { grant_type: 'refresh_token', refresh_token: neverIssued('rt') }
    const secret = neverIssued('cs')
    const answers = [
      await postForm(server, { ...grant, client_id: 'unknown', client_secret: secret }),
      await postForm(server, { ...grant, client_id: partner.clientId, client_secret: secret }),
      await postForm(server, grant, basic(partner.clientId, secret)),
    ]
    for (const { body } of answers) {
      expect(body.error_uri).toBe(page('invalid_client#invalid-client-credentials'))
    }
  })

  test.each(['api/oauth2/token', 'oauth2/token', 'oauth2/revoke', 'api/oauth2/introspect'])(
    '%s of the authorization server: 404 with the right address',
    async (path) => {
      const answer = await send(`${server.authUrl}/${path}`, { method: 'POST' })
      const right = `${server.baseUrl}${path.replace(/^api\//, '')}`
      expect(answer).toMatchObject({
        status: 404,
        body: {
          error_description: `There is nothing at this address. Did you mean ${right}?`,
          error_uri: page('invalid_request#no-such-address'),
        },
      })
    },
  )
})

describe('the API', () => {
  test.each([
    ['households', 'api/v1/households'],
    ['v1/household', 'api/v1/households'],
    ['api/households', 'api/v1/households'],
    ['api/v1/households/', 'api/v1/households'],
    ['api/v1/Households', 'api/v1/households'],
    ['api/v2/household?limit=1', 'api/v2/households'],
    ['api/v1/households/h1', 'api/v2/households/{household_id}'],
    ['api/v2/households/h1/accounts', 'api/v1/households/{household_id}/accounts'],
    ['api/v1/accounts', 'api/v2/accounts'],
    ['token', 'oauth2/token'],
    ['api/oauth2/token', 'oauth2/token'],
    ['oauth2/tokens', 'oauth2/token'],
    ['swagger.json', 'openapi.json'],
  ])('%s: 404 that suggests %s', async (path, right) => {
    const { status, body } = await send(`${server.baseUrl}${path}`, {})
    const text = `There is nothing at this address. Did you mean ${server.baseUrl}${right}?`
    expect([status, body.detail ?? body.error_description]).toEqual([404, text])
  })

  test('the authorize endpoint below {base_url}: 404 that suggests that of {auth_url}', async () => {
    const { body } = await send(`${server.baseUrl}api/oauth2/authorize?client_id=x`, {})
    expect(body.detail).toMatch(new RegExp(`Did you mean ${server.authUrl}/api/oauth2/authorize\\?$`))
  })

  test.each([
    ['no scheme', accessToken, 'no-scheme', /without its scheme\. Send Authorization: Bearer/],
    ['another word', `Token ${accessToken}`, 'no-scheme', /without its scheme/],
    ['Basic', `Basic ${btoa('a:b')}`, 'malformed-header', /^Malformed Authorization header/],
    ['a refresh token', `Bearer ${neverIssued('rt')}`, 'wrong-kind', /^A refresh token was sent where/],
    ['production', `Bearer ${neverIssued('at', 'production')}`, 'wrong-environment', /belongs to production/],
  ])('the Authorization header with %s', async (_case, authorization, anchor, detail) => {
    const answer = await api(server, 'households', undefined, { authorization })
    expect(answer).toMatchObject({
      status: 401,
      body: { type: page('invalid_token'), detail: expect.stringMatching(detail) },
    })
    expect(answer.headers.get('www-authenticate')).toContain(`error_uri="${page(`invalid_token#${anchor}`)}"`)
  })

  test('26: access_token in the query is not read, and the error says so', async () => {
    const answer = await api(server, `households?access_token=${accessToken}`)
    const detail = expect.stringContaining('does not read access_token in the query string')
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized', detail } })
    expect(answer.headers.get('www-authenticate')).not.toContain('error')
    expect(answer.headers.get('api-unknown-parameters')).toBe('"access_token"')
  })
})

describe('authorize', () => {
  const answerTo = async (more: Record<string, string>) =>
    redirectOf(await new Visitor().post(authorizeUrl(server, partner, more), ''))?.searchParams

  test('a missing scope, and one without openid', async () => {
    const missing = await answerTo({ scope: '' })
    expect(missing?.get('error_description')).toBe('scope is missing. Send scope=openid.')
    expect(missing?.get('error_uri')).toBe(page('invalid_scope#no-scope'))
    const other = await answerTo({ scope: 'email profile' })
    expect(other?.get('error_uri')).toBe(page('invalid_scope#scope-without-openid'))
  })

  test.each([
    ['https://partner.example/callback/', 'trailing_slash', /only in the slash at the end/],
    ['http://partner.example/callback', 'scheme', /only in http or https/],
    ['https://partner.example/Callback', 'case', /only in capital letters/],
    ['https://partner.example/callback?a=b', 'query', /only in the part from \? or #/],
  ])(
    '1: %s: the page says the difference in the sandbox only, the log in both',
    async (uri, difference, hint) => {
      const there = await production.partner()
      const inSandbox = await new Visitor().post(authorizeUrl(server, partner, { redirect_uri: uri }), '')
      const inProduction = await new Visitor().post(
        authorizeUrl(production, there, { redirect_uri: uri }),
        '',
      )
      expect([inSandbox.status, inProduction.status]).toEqual([400, 400])
      expect(inSandbox.document.text).toMatch(hint)
      expect(inProduction.document.text).not.toMatch(/differs from a registered/)
      for (const { logs } of [server, production]) expect(logs()).toContain(`"difference":"${difference}"`)
    },
  )
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeFor, issued, tokensFor } from '../support/connection.ts'
import { seed } from '../support/directory.ts'
import { send } from '../support/journey.ts'
import { logLines } from '../support/logs.ts'
import { type TestPartner, type TestServer, testServer } from '../support/server.ts'
import { credentials } from '../support/token-endpoint.ts'

/** The contract writes `{base_url}/oauth2/token`, and `{base_url}` ends in a slash. */
let server: TestServer
let partner: TestPartner

beforeAll(async () => {
  server = await testServer()
  partner = await server.partner()
  const accounts = [{ id: 'a1', household: 'h1' }]
  await seed(server.database, { users: [{ id: 'ada' }], households: [{ id: 'h1' }], accounts })
})
afterAll(() => server.close())

const literal = (path: string) => `${server.baseUrl}/${path}`
const post = (path: string, fields: Record<string, string>) =>
  send(literal(path), { method: 'POST', body: new URLSearchParams({ ...credentials(partner), ...fields }) })

describe('addresses exactly as the contract writes them, with a double slash', () => {
  test('exchange, refresh, introspection, userinfo and revocation', async () => {
    const code = await codeFor(server, partner, 'ada')
    const first = issued(await post('oauth2/token', { grant_type: 'authorization_code', code }))
    const { refreshToken } = first
    const next = issued(
      await post('oauth2/token', { grant_type: 'refresh_token', refresh_token: refreshToken }),
    )
    expect((await post('oauth2/introspect', { token: next.accessToken })).body.active).toBe(true)
    const headers = { authorization: `Bearer ${next.accessToken}` }
    expect((await send(literal('oauth2/userinfo'), { headers })).status).toBe(200)
    expect((await post('oauth2/revoke', { token: next.refreshToken })).status).toBe(200)
    expect((await send(literal('oauth2/token'), {})).status).toBe(405)
  })

  test('households, accounts, changes and the OpenAPI description; the log names the route', async () => {
    const { accessToken } = await tokensFor(server, partner, 'ada')
    const headers = { authorization: `Bearer ${accessToken}` }
    for (const [path, route] of [
      ['api/v1/households', 'api/v1/households'],
      ['api/v1/households?page=0&page_size=7', 'api/v1/households'],
      ['api/v1/households/h1/accounts', 'api/v1/households/:household_id/accounts'],
      ['api/v2/households', 'api/v2/households'],
      ['openapi.json', 'openapi.json'],
    ] as const) {
      const answer = await fetch(literal(path), { headers })
      expect([path, answer.status]).toEqual([path, 200])
      const single = await fetch(`${server.baseUrl}${path}`, { headers })
      expect(await answer.text()).toBe(await single.text())
      const [line] = logLines(server, answer.headers.get('x-api-request-id') ?? '')
      expect(line?.route).toBe(`/service-open-api/${route}`)
    }
  })

  test('a 401 names the metadata URL', async () => {
    const metadata = `${server.authUrl}/.well-known/oauth-protected-resource/service-open-api/`
    const answer = await fetch(literal('api/v1/households'))
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="latchkey", resource_metadata="${metadata}"`,
    ])
  })

  test.each([
    'service-open-api///oauth2/token',
    'service-open-api/oauth2//token',
    'service-open-api//oauth2//token',
    'service-open-api/%2foauth2/token',
    'service-open-api/%2Foauth2/token',
    'service-open-api//nowhere',
    'service-open-api//',
    '/service-open-api/oauth2/token',
    '/service-open-api//oauth2/token',
    'service-open-api/api//v1/households',
    'service-open-api///api/v1/households',
    '/api/v1/households',
    '/login',
    '/connections',
  ])('other double slashes are 404: /%s', async (path) => {
    for (const method of ['GET', 'POST']) {
      expect([method, (await fetch(`${server.authUrl}/${path}`, { method })).status]).toEqual([method, 404])
    }
  })

  test('OpenAPI: servers[0].url followed by a path is the address of an operation', async () => {
    const { body } = await send(`${server.baseUrl}openapi.json`, {})
    const [first] = body.servers as { url: string }[]
    expect(first?.url).toBe(server.baseUrl.slice(0, -1))
    for (const [path, operations] of Object.entries(body.paths as Record<string, object>)) {
      const address = `${first?.url}${path.replace('{household_id}', 'h1')}`
      for (const method of Object.keys(operations)) {
        const answer = await fetch(address, { method: method.toUpperCase() })
        // A token endpoint asks for the client_id before it asks for credentials.
        expect([method, path, answer.status]).toEqual([
          method,
          path,
          /token|revoke|introspect/.test(path) ? 400 : 401,
        ])
      }
    }
  })
})

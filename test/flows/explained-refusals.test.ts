import { expect, test, vi } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { developerCaller, newDeveloperKey } from '../support/developer-api.ts'
import { serverFixture } from '../support/fixtures.ts'
import { authorizeUrl } from '../support/journey.ts'

// Every refusal that can be attributed to a partner is explained to its developers by the request id. Calls are written every
// four seconds; here, the test writes them.

const server = await serverFixture({ users: ['ada', 'bob', 'cleo'], households: ['h1'] })
const { database, baseUrl, authUrl } = server
await server.context.requestLog?.stop()
const partner = await server.partner({ name: 'Ledger' })
const limited = await server.partner({
  name: 'Limited',
  limits: { requests_per_minute: 1, token_requests_per_minute: 1 },
})
await server.context.limits.refresh()
const { clientId, clientSecret } = partner
const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada')
const expired = await accessTokenOf(database, 'bob', { clientId, expiresIn: -7200 })
const disconnected = await tokensFor(server, partner, 'cleo')
await query(database, `UPDATE grants SET revoked_at = now(), revoked_by = 'user' WHERE user_id = 'cleo'`)
const busy = await tokensFor(server, limited, 'ada')

type Call = { url: string; init?: RequestInit; of?: string }

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const basic = (secret: string) => ({ authorization: `Basic ${btoa(`${clientId}:${secret}`)}` })
const api = (path: string, init: RequestInit = {}, token = accessToken): Call => ({
  url: baseUrl + path,
  init: { ...init, headers: { ...bearer(token), ...init.headers } },
})
const form = (fields: Record<string, string>, endpoint = 'token'): Call => ({
  url: `${baseUrl}oauth2/${endpoint}`,
  init: { method: 'POST', body: new URLSearchParams(fields) },
})
const credentials = { client_id: clientId, client_secret: clientSecret }
const withText = (type: string, body: string, url = `${baseUrl}oauth2/token`): Call => ({
  url,
  init: { method: 'POST', headers: { ...basic(clientSecret), 'content-type': type }, body },
})
const page = (more: Record<string, string>): Call => ({ url: authorizeUrl(server, partner, more) })

const calls: [status: number, code: string, what: string, call: Call][] = [
  [400, 'invalid_parameter', 'a wrong parameter', api('api/v1/households?page=x')],
  [400, 'invalid_parameter', 'a wrong cursor', api('api/v2/households?cursor=x')],
  [400, 'bad_request', 'a path that is not UTF-8', api('api/v1/households?name_pattern=%ff')],
  [401, 'invalid_token', 'an access token that expired two hours ago', api('api/v2/households', {}, expired)],
  [
    401,
    'invalid_token',
    'a token of a user who has disconnected',
    api('api/v2/accounts', {}, disconnected.accessToken),
  ],
  [
    401,
    'invalid_token',
    'a token of a user who has disconnected, at userinfo',
    api('oauth2/userinfo', {}, disconnected.accessToken),
  ],
  [404, 'not_found', 'an unknown household', api('api/v1/households/nope/accounts')],
  [404, 'not_found', 'an unknown address', api('api/v1/household')],
  [404, 'not_found', 'an unknown address below the base', api('api/v3/households')],
  [405, 'method_not_allowed', 'a method that is not allowed', api('api/v2/households', { method: 'DELETE' })],
  [410, 'sync_expired', 'a sync from long ago', api('api/v2/households?updated_since=2020-01-01T00:00:00Z')],
  [
    413,
    'bad_request',
    'a body that is too large',
    api('oauth2/userinfo', { method: 'POST', body: new URLSearchParams({ x: 'x'.repeat(70_000) }) }),
  ],
  [
    415,
    'bad_request',
    'a body of another type',
    api('oauth2/userinfo', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }),
  ],
  [400, 'unsupported_grant_type', 'an unknown grant_type', form({ ...credentials, grant_type: 'password' })],
  [
    400,
    'invalid_request',
    'a secret in the address',
    { url: `${baseUrl}oauth2/token?client_secret=x&client_id=${clientId}`, init: { method: 'POST' } },
  ],
  [
    400,
    'invalid_grant',
    'an unknown refresh token',
    form({ ...credentials, grant_type: 'refresh_token', refresh_token: accessToken }),
  ],
  [
    400,
    'invalid_grant',
    'a refresh of a user who has disconnected',
    form({ ...credentials, grant_type: 'refresh_token', refresh_token: disconnected.refreshToken }),
  ],
  [
    401,
    'invalid_client',
    'no secret',
    form({ client_id: clientId, grant_type: 'refresh_token', refresh_token: refreshToken }),
  ],
  [
    401,
    'invalid_client',
    'a wrong secret',
    form({
      ...credentials,
      client_secret: 'wrong',
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    }),
  ],
  [
    401,
    'invalid_client',
    'a wrong secret at introspection',
    form({ ...credentials, client_secret: 'wrong', token: accessToken }, 'introspect'),
  ],
  [400, 'invalid_request', 'a body that is not JSON', withText('application/json', '{')],
  [415, 'invalid_request', 'another type of body', withText('text/plain', 'x')],
  [
    413,
    'invalid_request',
    'a body that is too large',
    withText('application/x-www-form-urlencoded', 'x'.repeat(70_000)),
  ],
  [
    405,
    'invalid_request',
    'GET at the token endpoint',
    { url: `${baseUrl}oauth2/token`, init: { headers: basic(clientSecret) } },
  ],
  [
    404,
    'invalid_request',
    'a token endpoint that does not exist',
    withText('application/x-www-form-urlencoded', '', `${authUrl}/oauth2/token`),
  ],
  [
    404,
    'invalid_request',
    'an endpoint that does not exist',
    withText('application/x-www-form-urlencoded', '', `${baseUrl}oauth2/tokens`),
  ],
  [303, 'invalid_scope', 'a scope that does not exist', page({ response_type: 'code', scope: 'email' })],
  [400, 'authorization_refused', 'another redirect_uri', page({ redirect_uri: 'https://evil.example' })],
  [
    429,
    'too_many_requests',
    'more calls than the limit',
    { ...api('api/v2/households', {}, busy.accessToken), of: limited.clientId },
  ],
  [
    429,
    'temporarily_unavailable',
    'more token requests than the limit',
    {
      ...form(
        { client_id: limited.clientId, client_secret: limited.clientSecret, token: busy.accessToken },
        'introspect',
      ),
      of: limited.clientId,
    },
  ],
]

/** Sends all calls, and writes the request log. The request id of each is `refusal-` and its number. */
async function sendAll(): Promise<void> {
  for (const [n, [status, , what, { url, init }]] of calls.entries()) {
    if (status === 429) await fetch(url, init) // uses the limit up
    const headers = { ...init?.headers, 'x-api-request-id': `refusal-${n}` }
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' })
    expect([what, answer.status]).toEqual([what, status])
  }
  await vi.waitFor(async () => {
    await server.context.requestLog?.write()
    const recorded = await query(database, `SELECT FROM request_log WHERE request_id LIKE 'refusal-%'`)
    expect(recorded).toHaveLength(calls.length)
  })
}

test('every refusal that can be attributed to a partner is explained by its request id', async () => {
  await sendAll()
  const callers = new Map<string, ReturnType<typeof developerCaller>>()
  for (const id of [clientId, limited.clientId])
    callers.set(id, developerCaller(server, await newDeveloperKey(server, id, 'viewer')))
  for (const [n, [status, code, what, { of = clientId }]] of calls.entries()) {
    const answer = await callers.get(of)?.('GET', `/requests/refusal-${n}`)
    expect([what, answer?.status]).toEqual([what, 200])
    expect([what, answer?.body.data]).toMatchObject([
      what,
      [{ status, code, title: expect.any(String), error_page: expect.any(String) }],
    ])
  }
  const other = developerCaller(server, await newDeveloperKey(server, (await server.partner()).clientId))
  expect((await other('GET', '/requests')).body.data).toEqual([])
})

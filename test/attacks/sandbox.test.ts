import { get } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { loadSandbox } from '../../src/sandbox/load.ts'
import { codeFor, issued, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, authorizeUrl, connect, refresh, send, token } from '../support/journey.ts'
import { nextWindow, setLimits } from '../support/limits.ts'
import type { TestServer } from '../support/server.ts'
import { redirectOf, Visitor } from '../support/visitor.ts'

const sandbox = await serverFixture({ clock: true })
await loadSandbox(sandbox.database, systemOrigin, { households: 0 })
await sandbox.context.sandbox?.look()
const partner = await sandbox.partner()

function moveClock(server: { baseUrl: string }, accessToken: string, body: object) {
  return send(`${server.baseUrl}sandbox/clock`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

test('67: production has no route, header or user of the sandbox', async () => {
  const production = await serverFixture({ environment: 'production' })
  await seed(production.database, { users: ['sandbox-consent-cancelled'], households: ['h1'] })
  const routesOf = (server: TestServer) => server.routes.map(({ method, url }) => `${method} ${url}`)
  const routes = new Set(routesOf(production))
  expect(routes.size).toBeGreaterThan(20)
  const more = routesOf(sandbox).filter((route) => !routes.has(route))
  expect(new Set(more.map((route) => route.split(' ')[1]))).toEqual(
    new Set(['/service-open-api/sandbox/clock']),
  )

  const app = await production.partner()
  const code = (await connect(production, app, 'sandbox-consent-cancelled')).searchParams.get('code') ?? ''
  const exchanged = await send(`${production.baseUrl}oauth2/token`, {
    method: 'POST',
    headers: { 'latchkey-sandbox': 'unavailable' },
    body: new URLSearchParams({
      client_id: app.clientId,
      client_secret: app.clientSecret,
      grant_type: 'authorization_code',
      code,
    }),
  })
  expect(exchanged.status).toBe(200)
  const accessToken = String(exchanged.body.access_token)
  const header = { 'latchkey-sandbox': 'unavailable' }
  expect((await api(production, 'households', accessToken, header)).body).toHaveLength(1)
  expect((await moveClock(production, accessToken, { advance_seconds: 3600 })).status).toBe(404)
})

test('68: a clock moves only forward, and no other connection', async () => {
  const mine = await tokensFor(sandbox, partner, 'sandbox-firm')
  const sameUser = await tokensFor(sandbox, partner, 'sandbox-firm')
  const others = await tokensFor(sandbox, await sandbox.partner(), 'sandbox-firm')
  for (const advance_seconds of [-1, 0, 1.5, 366 * 24 * 3600 + 1, '60', null]) {
    expect(await moveClock(sandbox, mine.accessToken, { advance_seconds })).toMatchObject({
      status: 400,
      body: { code: 'invalid_parameter', errors: [{ parameter: 'advance_seconds' }] },
    })
  }
  expect((await moveClock(sandbox, 'nonsense', { advance_seconds: 3600 })).status).toBe(401)
  expect((await moveClock(sandbox, mine.refreshToken, { advance_seconds: 3600 })).status).toBe(401)
  expect((await moveClock(sandbox, mine.accessToken, { advance_seconds: 3700 })).status).toBe(200)
  expect((await api(sandbox, 'households', mine.accessToken)).status).toBe(401)
  for (const { accessToken } of [sameUser, others]) {
    expect((await api(sandbox, 'households', accessToken)).status).toBe(200)
  }
  await token(sandbox, partner, { token: sameUser.refreshToken }, 'revoke')
  expect((await moveClock(sandbox, sameUser.accessToken, { advance_seconds: 60 })).status).toBe(401)
})

test('68: a token that the request does not use cannot move the expiry of the tokens in the answer', async () => {
  const moved = await tokensFor(sandbox, partner, 'sandbox-firm')
  const years = { advance_seconds: 366 * 24 * 3600 }
  expect((await moveClock(sandbox, moved.accessToken, years)).status).toBe(200)
  const other = await tokensFor(sandbox, partner, 'sandbox-firm')
  const code = await codeFor(sandbox, partner, 'sandbox-firm')
  const answers = [
    await refresh(sandbox, partner, other.refreshToken, { token: moved.accessToken }),
    await token(sandbox, partner, {
      grant_type: 'authorization_code',
      code,
      refresh_token: moved.refreshToken,
      token: moved.accessToken,
    }),
  ]
  for (const answer of answers) {
    const live = await token(sandbox, partner, { token: issued(answer).accessToken }, 'introspect')
    expect(live.body.active).toBe(true)
    expect(Number(live.body.exp) - Date.now() / 1000).toBeLessThan(3700)
  }
})

test('65: failures on request count as requests', async () => {
  const limited = await sandbox.partner()
  await setLimits([sandbox], limited, { requests_per_minute: 2 })
  const { accessToken } = await tokensFor(sandbox, limited, 'sandbox-firm')
  await nextWindow(sandbox)
  const fail = () => api(sandbox, 'households', accessToken, { 'latchkey-sandbox': 'unavailable' })
  const answers = [await fail(), await fail(), await fail()]
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 429])
})

test('69: the slow scenario holds no request without credentials, and few with them', async () => {
  const settings = sandbox.context.sandbox
  if (!settings) throw new Error('no sandbox')
  settings.slowAnswerMs = 1_000_000
  const slow = { 'latchkey-sandbox': 'slow' }
  expect((await api(sandbox, 'households', undefined, slow)).status).toBe(401)
  expect((await send(`${sandbox.baseUrl}openapi.json`, { headers: slow })).status).toBe(200)
  const body = {
    grant_type: 'refresh_token',
    refresh_token: 'x',
    client_id: partner.clientId,
    client_secret: 'wrong',
  }
  const refused = await send(`${sandbox.baseUrl}oauth2/token`, {
    method: 'POST',
    headers: slow,
    body: new URLSearchParams(body),
  })
  expect(refused.status).toBe(401)

  const { accessToken } = await tokensFor(sandbox, partner, 'sandbox-firm')
  const headers = { ...slow, authorization: `Bearer ${accessToken}` }
  const answered: (number | undefined)[] = []
  // Not fetch: after an abort it opens another connection, which delays the end of the server.
  const requests = Array.from({ length: 80 }, () =>
    get(`${sandbox.baseUrl}api/v1/households?page_size=1`, { headers, agent: false }, (answer) => {
      answered.push(answer.statusCode)
      answer.resume()
    }).on('error', () => {}),
  )
  onTestFinished(() => {
    for (const request of requests) request.destroy()
  })
  await expect.poll(() => answered, { timeout: 20_000 }).toEqual(Array.from({ length: 16 }, () => 200))
  // They hold no database connection meanwhile: there are fewer connections than requests that wait.
  expect((await api(sandbox, 'households', accessToken)).status).toBe(200)
  for (const request of requests) request.destroy()

  settings.slowAnswerMs = 300
  const started = performance.now()
  expect((await api(sandbox, 'households', accessToken, slow)).status).toBe(200)
  expect(performance.now() - started).toBeGreaterThan(250)
})

test('75: the published application gives no code without PKCE, to no other address, and is not in production', async () => {
  const [published] = await query<{ client_id: string; redirect_uris: string[] }>(
    sandbox.database,
    'SELECT p.client_id, p.redirect_uris FROM partners p JOIN sandbox_application USING (client_id)',
  )
  if (!published) throw new Error('the sandbox has no application')
  expect(published.redirect_uris).toEqual(['http://localhost:8400/callback'])
  const app = {
    clientId: published.client_id,
    clientSecret: '',
    redirectUri: 'http://localhost:8400/callback',
  }
  const refused = redirectOf(await new Visitor().post(authorizeUrl(sandbox, app), ''))
  expect(refused?.searchParams.get('error')).toBe('invalid_request')
  expect(refused?.searchParams.get('error_description')).toContain('code_challenge')

  const production = await serverFixture({ environment: 'production' })
  const page = await (await fetch(`${production.baseUrl}docs/quick-start`)).text()
  expect(page).toContain('&lt;CLIENT_ID&gt;')
  expect(page).not.toContain(published.client_id)
})

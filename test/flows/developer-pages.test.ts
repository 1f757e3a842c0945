import { describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { tokensFor } from '../support/connection.ts'
import { latestRecord } from '../support/console.ts'
import { query } from '../support/database.ts'
import { developerData, developerPages } from '../support/developer-data.ts'
import { developerOfApp, type TestDeveloper } from '../support/developers.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { png } from '../support/pictures.ts'
import { fieldsOf } from '../support/visitor.ts'

const v1 = { deprecatedOn: new Date('2026-06-01'), sunsetOn: new Date('2027-06-01') }
const server = await serverFixture({ users: ['ada', 'bob', 'cleo'], households: ['h1', 'h2'], v1 })
const { database, authUrl } = server
const data = await developerData(server)
const { clientId } = data.partner
const dana = await developerOfApp(server, clientId)
const vera = await developerOfApp(server, clientId, { email: 'vera@partner.example', role: 'viewer' })
const other = await server.partner({ name: 'Harbor Reports' })
const oscar = await developerOfApp(server, other.clientId, { email: 'oscar@harbor.example' })

const addressOf = (path: string, app = clientId) => `/developers/apps/${app}${path}`

function open(path: string, { browser }: TestDeveloper = dana, app = clientId) {
  return browser.get(authUrl + addressOf(path, app))
}

/** Opens a page and submits the form with this action on it. */
async function submit(path: string, action: string, fields: Record<string, string> = {}) {
  const page = await open(path)
  return dana.browser.follow(await dana.browser.submit(page, addressOf(action), fields))
}

async function textOf(path: string, developer?: TestDeveloper): Promise<string> {
  return (await open(path, developer)).document.querySelector('main')?.structuredText ?? ''
}

test('the overview says what needs attention, and compares limits with use', async () => {
  const text = await textOf('')
  expect(text).toContain('6 refreshes refused in the last day')
  expect(text).toContain('A webhook fails: https://staging.ledgerline.example/hooks/latchkey')
  expect(text).toContain('calls over a limit in the last day')
  expect(text).toContain('An old client secret still works')
  expect(text).toContain('calls of a deprecated operation in the last week')
  expect(text).toMatch(/Live grants\s+2\s+2 more than at the start/)
  expect(text).toMatch(/Calls per minute\s+600\s+16.*, 3%/)
})

test('an application that went live has no secret: the overview says so, and the form offers no secret to end', async () => {
  const { clientId: app } = await server.partner({ name: 'Went Live' })
  await query(database, `UPDATE partners SET secret_hashes = '{}' WHERE client_id = $1`, [app])
  const developer = await developerOfApp(server, app, { email: 'lena@live.example' })
  const text = async (path: string) =>
    (await open(path, developer, app)).document.querySelector('main')?.structuredText ?? ''
  const overview = await text('')
  expect(overview).toContain('This application has no client secret yet')
  expect(overview).toContain('The quick start shows how to read a first household')
  expect(await text('/credentials/secret')).not.toContain('All end at once')
  const page = await open('/credentials/secret', developer, app)
  const sent = await developer.browser.submit(page, addressOf('/credentials/secret', app), {})
  const made = (await developer.browser.follow(sent)).document.querySelector('main')?.structuredText
  expect(made).toMatch(/lk_test_cs_/)
  expect(await text('')).not.toContain('no client secret yet')
})

describe('the request log of an application', () => {
  test('explains authorization requests that went back with an error, and says which calls belong to no application', async () => {
    const address = `${authUrl}/api/oauth2/authorize?response_type=code&scope=all&client_id=${clientId}&redirect_uri=`
    await fetch(address + encodeURIComponent(data.partner.redirectUri), {
      headers: { 'X-API-Request-ID': 'wrong-scope' },
      redirect: 'manual',
    })
    await server.context.requestLog?.write()
    expect(await textOf('/requests?status=3xx')).toMatch(/invalid_scope\s*scope without openid.*wrong-scope/s)
    const text = await textOf('/requests?request_id=wrong-scope')
    expect(text).toMatch(/Sent back to your redirect URI with error=invalid_scope.*What to do: /s)
    expect(await textOf('/requests?request_id=unknown')).toContain('belongs to no application')
  })

  test('explains calls that were refused before anything was read: wrong parameters, an expired token, no such route', async () => {
    const live = await accessTokenOf(database, 'bob', { clientId })
    const expired = await accessTokenOf(database, 'bob', { clientId, expiresIn: -4000 })
    await api(server, 'households?page=x', live, { 'X-API-Request-ID': 'wrong-page' })
    await api(server, 'households', expired, { 'X-API-Request-ID': 'old-token' })
    await api(server, 'household', live, { 'X-API-Request-ID': 'no-route' })
    await server.context.requestLog?.write()
    expect(await textOf('/requests?request_id=wrong-page')).toContain('Refused with 400: Invalid parameter')
    const text = await textOf('/requests?request_id=old-token')
    expect(text).toMatch(/Refused with 401.*Cause: .*What to do: .*This error in the docs/s)
    expect(await textOf('/requests?request_id=no-route')).toContain('Refused with 404')
  })

  test('names users by the subject that the partner knows, and never by the id of the platform', async () => {
    const [grant] = await query<{ subject: string }>(
      database,
      `SELECT subject FROM grants WHERE user_id = 'ada' AND client_id = $1`,
      [clientId],
    )
    const subject = grant?.subject ?? ''
    const text = await textOf(`/requests?subject=${subject}`)
    expect(text).toContain('nightly-ada')
    expect(text).not.toContain('nightly-bob')
    for (const path of [`/requests?request_id=${data.requestId}`, '/grants?state=all']) {
      const page = await textOf(path)
      expect(page).toContain(subject)
      expect(page.replaceAll('nightly-ada', '')).not.toMatch(/\bada\b/)
    }
  })
})

test('a connection says why it has ended', async () => {
  expect(await textOf('/grants?state=ended')).toContain('disconnected by the user')
  const text = await textOf(`/grants/${data.grantId}`)
  expect(text).toContain('The user pressed Disconnect on the page Connected apps.')
  expect(text).toContain('nightly-cleo')
})

test('deprecated calls name the successor and the end', async () => {
  const text = await textOf('/deprecated')
  expect(text).toMatch(
    /GET \/service-open-api\/api\/v1\/households.*GET \/service-open-api\/api\/v2\/households/s,
  )
  expect(text).toContain('Jun 1, 2027')
})

describe('the application', () => {
  test('its addresses are changed, and faults name the field', async () => {
    const fields = { redirect_uris: 'http://evil.example/callback', description: 'Plans' }
    const refused = await submit('/application/edit', '/application/edit', fields)
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('Redirect URI')
    const saved = await submit('/application/edit', '/application/edit', {
      redirect_uris: 'https://app.ledgerline.example/callback\nhttps://app.ledgerline.example/second',
      require_pkce: 'true',
    })
    expect(saved.text).toContain('The settings are saved.')
    expect(saved.text).toContain('https://app.ledgerline.example/second')
    expect(await latestRecord(server, 'partner.updated')).toMatchObject({
      ...{ via: 'developer_pages', actor_name: 'Dana Developer', target_id: clientId },
    })
  })

  test('its logo is uploaded without a script, and only by its own form', async () => {
    const action = addressOf('/application/logo')
    const page = await open('/application')
    const send = async (csrf: string, picture: Buffer) => {
      const form = new FormData()
      form.append('_csrf', csrf)
      form.append('logo', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'logo.png')
      const cookie = await dana.browser.jar.getCookieString(authUrl)
      const headers = { cookie, 'sec-fetch-site': 'same-origin' }
      return fetch(authUrl + action, { method: 'POST', body: form, headers, redirect: 'manual' })
    }
    const { _csrf: csrf = '' } = fieldsOf(page, action)
    const logo = () =>
      query<{ logo: string | null }>(database, 'SELECT logo FROM partners WHERE client_id = $1', [clientId])
    const before = await logo()
    expect((await send('forged', png(48))).status).toBe(403)
    const refused = await send(csrf, Buffer.from('<svg/>'))
    expect(refused.status).toBe(422)
    expect(await refused.text()).toContain('is not a PNG or WebP picture')
    expect(await logo()).toEqual(before)
    expect((await send(csrf, png(48))).status).toBe(303)
    expect(await logo()).not.toEqual(before)
    expect((await submit('/application', '/application/logo/remove')).text).toContain('The logo is removed.')
  })
})

test('keys of the developer API are made, shown once, and revoked', async () => {
  const made = await submit('/api-keys/new', '/api-keys/new', {
    name: 'Robot',
    role: 'viewer',
    expires_in_days: '30',
  })
  const key = /lk_test_dk_\w+/.exec(made.text)?.[0] ?? ''
  expect(key).not.toBe('')
  const page = await open('/credentials')
  expect(page.text).not.toContain(key)
  const [row] = await query<{ id: string }>(database, `SELECT id FROM developer_keys WHERE name = 'Robot'`)
  const revoked = await submit('/credentials', `/api-keys/${row?.id}/revoke`)
  expect(revoked.text).toContain('The developer key is revoked.')
})

test('a webhook is added, changed, tested, disabled, sent again and removed', async () => {
  const refused = await submit('/webhooks/new', '/webhooks/new', {
    url: 'https://10.0.0.1/',
    events: 'grant.revoked',
  })
  expect(refused.status).toBe(422)
  const added = await submit('/webhooks/new', '/webhooks/new', {
    url: 'https://93.184.215.14/h',
    events: 'grant.revoked',
  })
  const secret = /whsec_[\w+/=]+/.exec(added.text)?.[0] ?? ''
  expect(secret).not.toBe('')
  const [row] = await query<{ id: string }>(
    database,
    `SELECT id FROM webhook_endpoints WHERE url = 'https://93.184.215.14/h'`,
  )
  const path = `/webhooks/${row?.id}`
  expect((await open(path)).text).not.toContain(secret)
  const saved = await submit(`${path}/edit`, `${path}/edit`, {
    url: 'https://93.184.215.14/h',
    events: 'grant.created',
  })
  expect(saved.text).toContain('The settings are saved.')
  const rotated = await submit(`${path}/secret`, `${path}/secret`, {
    end_others: 'false',
    secret_kind: 'ed25519',
  })
  expect(rotated.text).toMatch(/whpk_[\w+/=]+/)
  const tested = await submit(path, `${path}/test`)
  expect(tested.text).toContain('The test event is written.')
  const messagePath = new URL(tested.url).pathname.slice(addressOf('').length)
  expect((await submit(messagePath, `${messagePath}/resend`)).text).toContain('delivered again')
  expect((await submit(path, `${path}/replay`, { since: 'yesterday' })).status).toBe(422)
  expect((await submit(path, `${path}/replay`, { since: '2026-01-01T00:00Z' })).text).toContain(
    'delivered again',
  )
  expect((await submit(path, `${path}/disable`)).text).toContain(
    'A developer of this application disabled it.',
  )
  expect((await submit(path, `${path}/enable`)).text).toContain('The webhook is enabled.')
  expect((await submit(`${path}/remove`, `${path}/remove`)).text).toContain('The webhook is removed.')
  expect((await open(path)).status).toBe(404)
})

test('viewers see all pages but forms and those of administrators, and change nothing', async () => {
  for (const [name, path] of Object.entries(developerPages(data))) {
    const { status } = await open(path, vera)
    expect
      .soft(status, name)
      .toBe(/new|edit|replace|secret|remove|people|person|going live/.test(name) ? 403 : 200)
  }
  const page = await open('/credentials')
  const fields = fieldsOf(page, addressOf('/credentials/end-old-secret'))
  expect((await vera.browser.post(authUrl + addressOf('/credentials/end-old-secret'), fields)).status).toBe(
    403,
  )
})

test('for developers of another application, nothing of this one exists', async () => {
  for (const [name, path] of Object.entries(developerPages(data))) {
    expect.soft((await open(path, oscar)).status, name).toBe(404)
  }
  const { grantId, endpointId, messageId, requestId } = data
  for (const path of [
    `/grants/${grantId}`,
    `/webhooks/${endpointId}`,
    `/webhooks/messages/msg_${messageId}`,
  ]) {
    expect.soft((await open(path, oscar, other.clientId)).status, path).toBe(404)
  }
  const page = await open(`/requests?request_id=${requestId}`, oscar, other.clientId)
  expect(page.text).toContain('There is no call with this id')
  const { accessToken } = await tokensFor(server, other, 'ada')
  await api(server, 'households?page=x', accessToken, { 'X-API-Request-ID': 'of-harbor' })
  await server.context.requestLog?.write()
  expect(await textOf('/requests?request_id=of-harbor')).toContain('There is no call with this id')
})

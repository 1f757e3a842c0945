import { describe, expect, test } from 'vitest'
import type { ApiResponse } from '../support/admin.ts'
import { type Belongings, belongings, rowsOf } from '../support/belongings.ts'
import { developerCaller } from '../support/developer-api.ts'
import { serverFixture } from '../support/fixtures.ts'
import { fieldsOf, type Page } from '../support/visitor.ts'

// Threat 60: a partner, with its keys and developers, reaches nothing of another partner. Every route of the developer API and
// of the developer pages is called with ids of the other partner. A route without a recipe fails the test.

const server = await serverFixture({ users: ['ada'], households: ['h1'] })
const own = await belongings(server, 'alder', 'ada')
const other = await belongings(server, 'birch', 'ada')

const served = (prefix: string) =>
  server.routes.filter(({ method, url }) => method !== 'HEAD' && url.startsWith(prefix))
const apiRoutes = served('/developers/v1/').filter(({ url }) => url !== '/developers/v1/openapi.json')
const pageRoutes = served('/developers').filter(({ url }) => !url.startsWith('/developers/v1/'))

/** Nothing of the other partner has changed, and the answer has none of its texts. */
async function expectNothing(what: string, text: string, before: string): Promise<void> {
  expect([what, text.includes(other.mark)]).toEqual([what, false])
  expect([what, await rowsOf(server, other.partner.clientId)]).toEqual([what, before])
}

type Recipe = {
  /** The id of this in the address. */
  id?: (of: Belongings) => string
  query?: (of: Belongings) => string
  body?: unknown
  /** What a list answers to a filter with an id of the other partner. */
  isEmpty?: true
}

const endpoint: Recipe = { id: ({ endpointId }) => endpointId }
const message: Recipe = { id: ({ messageId }) => `msg_${messageId}` }
const newUrl = 'https://93.184.216.34/new'
const jwks = { keys: [] }

const production = { redirect_uris: [newUrl], contact: 'Alder', expected_volume: '9 users' }

/** How each operation is called. Those without an id are about the partner of the key only. */
const recipes: Record<string, Recipe[]> = {
  'GET /application': [{}],
  'PATCH /application': [{ body: { site: 'https://new.example' } }],
  'POST /application/secrets': [{ body: {} }],
  'DELETE /application/secrets/old': [{}],
  'PUT /application/keys': [{ body: { jwks } }],
  'GET /going-live': [{}],
  'POST /going-live-requests': [{ body: production }],
  'GET /use': [{}],
  'GET /limits': [{}],
  'GET /deprecated-calls': [{}],
  'GET /requests': [
    {},
    { query: ({ requestId }) => `request_id=${requestId}`, isEmpty: true },
    { query: ({ subject }) => `subject=${subject}`, isEmpty: true },
    { query: ({ grantId }) => `grant_id=${grantId}`, isEmpty: true },
    { query: ({ grantId }) => `grant_id=${grantId}&status=refused`, isEmpty: true },
  ],
  'GET /requests/:request_id': [{ id: ({ requestId }) => requestId }],
  'GET /grants': [{}, { query: ({ subject }) => `state=all&subject=${subject}`, isEmpty: true }],
  'GET /grants/:id': [{ id: ({ grantId }) => grantId }],
  'GET /webhooks': [{}],
  'POST /webhooks': [{ body: { url: newUrl } }],
  'GET /webhooks/:id': [endpoint],
  'PATCH /webhooks/:id': [{ ...endpoint, body: { url: newUrl } }],
  'POST /webhooks/:id/secrets': [{ ...endpoint, body: {} }],
  'POST /webhooks/:id/disable': [endpoint],
  'POST /webhooks/:id/enable': [endpoint],
  'POST /webhooks/:id/test': [endpoint],
  'POST /webhooks/:id/replay': [{ ...endpoint, body: { since: '2020-01-01T00:00:00Z' } }],
  'GET /webhook-messages': [
    {},
    { query: ({ endpointId }) => `endpoint_id=${endpointId}`, isEmpty: true },
    { query: ({ grantId }) => `grant_id=${grantId}` },
    { query: ({ messageId }) => `cursor=${Buffer.from(messageId).toString('base64url')}` },
  ],
  'GET /webhook-messages/:id': [message],
  'POST /webhook-messages/:id/resend': [message],
  'GET /developers': [{}],
  'POST /developers': [{ body: { email: 'new@alder.example', name: 'New', role: 'viewer' } }],
  'PATCH /developers/:id': [{ id: ({ developerId }) => developerId, body: { role: 'admin' } }],
  'DELETE /developers/:id': [{ id: ({ secondDeveloperId }) => secondDeveloperId }],
  'GET /keys': [{}],
  'POST /keys': [{ body: { name: 'New', role: 'viewer' } }],
  'DELETE /webhooks/:id': [endpoint],
  'DELETE /keys/:id': [{ id: ({ keyId }) => keyId }],
}

/** Without keys, without a mail server, and before the checklist is done. */
const refusedHere = ['PUT /application/keys', 'POST /developers', 'POST /going-live-requests']

const call = developerCaller(server, own.key)

function send(route: string, { id, query, body }: Recipe, of: Belongings): Promise<ApiResponse> {
  const [method = '', url = ''] = route.split(' ')
  const path = url.replace(/:\w+/, encodeURIComponent(id?.(of) ?? ''))
  return call(method, query ? `${path}?${query(of)}` : path, body)
}

describe('60: the developer pages', () => {
  /** What follows `/:id` or `/:…_id` in the address of a page of an application: whose id it is. */
  const idsOfPages: [pattern: RegExp, id: (of: Belongings) => string][] = [
    [/^\/webhooks\/messages\/:/, ({ messageId }) => messageId],
    [/^\/webhooks\/:/, ({ endpointId }) => endpointId],
    [/^\/grants\/:/, ({ grantId }) => grantId],
    [/^\/api-keys\/:/, ({ keyId }) => keyId],
    [/^\/(developers|people|members)\/:/, ({ developerId }) => developerId],
  ]

  const appPrefix = '/developers/apps/:client_id'
  const ofApps = pageRoutes.filter(({ url }) => url.startsWith(appPrefix))
  const withId = ofApps.filter(({ url }) => url.slice(appPrefix.length).includes(':'))

  function addressOf(url: string, app: Belongings, of: Belongings): string {
    const path = url.slice(appPrefix.length)
    const [, id] = idsOfPages.find(([pattern]) => pattern.test(path)) ?? []
    if (path.includes(':') && !id) throw new Error(`${url} has no recipe: add its id to idsOfPages`)
    const filters = new URLSearchParams({
      request_id: of.requestId,
      subject: of.subject,
      grant_id: of.grantId,
      endpoint: of.endpointId,
    })
    const resolved = `/developers/apps/${app.partner.clientId}${path.replace(/:\w+/, id?.(of) ?? '')}`
    return `${server.authUrl}${resolved}?${filters}`
  }

  /** Fields of all forms: a form ignores those that it does not have. */
  const fields = {
    url: newUrl,
    event: 'grant.created',
    events: 'grant.created',
    since: '2020-01-01T00:00:00Z',
    name: 'New',
    role: 'viewer',
    confirm: 'true',
  }

  async function open(method: string, address: string, csrf: string): Promise<Page> {
    return method === 'GET' ? own.browser.get(address) : own.browser.post(address, { ...fields, _csrf: csrf })
  }

  async function csrfToken(): Promise<string> {
    const page = await own.browser.get(`${server.authUrl}/developers/account`)
    return fieldsOf(page, '/developers/logout')._csrf ?? ''
  }

  /** The page without the id of the request. */
  const shownOn = (page: Page) => page.document.querySelector('main')?.text.replace(/[0-9a-f-]{36}$/, '')

  test('pages that name no application are those of the person who is logged in', () => {
    const elsewhere = pageRoutes.filter(({ url }) => !url.startsWith(appPrefix)).map(({ url }) => url)
    const known =
      /^\/developers(\/(login|logout|setup|confirm|account|provider|identity|apps$|invit|panel|assets)|$)/
    expect(elsewhere.filter((url) => !known.test(url))).toEqual([])
    // Ids in these addresses are of login providers.
    expect(elsewhere.filter((url) => url.includes(':') && !/provider|login/.test(url))).toEqual([])
  })

  test('an application of another partner does not exist', async () => {
    const csrf = await csrfToken()
    const unknown = await own.browser.get(`${server.authUrl}/developers/apps/test_unknown`)
    for (const { method, url } of ofApps) {
      const before = await rowsOf(server, other.partner.clientId)
      const page = await open(method, addressOf(url, other, other), csrf)
      expect([method, url, page.status]).toEqual([method, url, 404])
      expect([url, shownOn(page)]).toEqual([url, shownOn(unknown)])
      await expectNothing(`${method} ${url}`, page.text, before)
    }
  })

  test('ids of another partner are not found in its own application', async () => {
    const csrf = await csrfToken()
    for (const { method, url } of ofApps) {
      const before = await rowsOf(server, other.partner.clientId)
      const page = await open(method, addressOf(url, own, other), csrf)
      const text = page.text.replaceAll(other.requestId, '') // the form shows the filter
      await expectNothing(`${method} ${url}`, text, before)
      if (url.includes(':id')) expect([method, url, page.status]).toEqual([method, url, 404])
    }
  })

  test('its own ids are found, so the addresses are right', async () => {
    for (const { method, url } of withId) {
      if (method !== 'GET') continue
      const page = await open('GET', addressOf(url, own, own), '')
      expect([url, page.status]).toEqual([url, 200])
    }
  })
})

describe('60: the developer API', () => {
  test('every route has a recipe, and every id in an address is in it', () => {
    const paths = apiRoutes.map(({ method, url }) => `${method} ${url.slice('/developers/v1'.length)}`)
    expect(Object.keys(recipes).sort()).toEqual(paths.sort())
    for (const [route, calls] of Object.entries(recipes)) {
      for (const { id } of calls) expect([route, id !== undefined]).toEqual([route, route.includes('/:')])
    }
  })

  test.each(Object.entries(recipes))('%s with ids of another partner', async (route, calls) => {
    for (const recipe of calls) {
      const before = await rowsOf(server, other.partner.clientId)
      const { status, body } = await send(route, recipe, other)
      await expectNothing(route, JSON.stringify(body ?? ''), before)
      if (recipe.id) expect([route, status]).toEqual([route, 404])
      if (recipe.isEmpty) expect([route, status, body.data]).toEqual([route, 200, []])
    }
  })

  test.each(Object.entries(recipes))('%s with its own ids is answered', async (route, calls) => {
    for (const recipe of calls) {
      const { status, body } = await send(route, recipe, own)
      const refusals = refusedHere.includes(route) ? [422] : [200, 201, 204]
      expect([route, refusals.includes(status)]).toEqual([route, true])
      if (recipe.isEmpty) expect([route, body.data.length > 0]).toEqual([route, true])
    }
  })
})

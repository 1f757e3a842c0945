import { expect, test } from 'vitest'
import { scopesOf } from '../../src/operators/scopes.ts'
import { consoleForms } from '../support/console.ts'
import { consoleData, consoleDirectory, consolePages } from '../support/console-data.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { newOperator } from '../support/operators.ts'
import { redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture(consoleDirectory())
const owner = await newOperator(server, { name: 'Olive Owner' })
const data = await consoleData(server, owner)
const { clientId, grantId, kid, endpointId } = data

/** Every form of the console that changes something, with the scope that it needs. */
const forms: [path: string, scope: Parameters<ReturnType<typeof scopesOf>['has']>[0]][] = [
  ['/admin/partners/new', 'partners:write'],
  [`/admin/partners/${clientId}/suspend`, 'partners:write'],
  [`/admin/partners/${clientId}/resume`, 'partners:write'],
  [`/admin/partners/${clientId}/edit`, 'partners:write'],
  [`/admin/partners/${clientId}/secret`, 'partners:write'],
  [`/admin/partners/${clientId}/keys`, 'partners:write'],
  [`/admin/partners/${clientId}/delete`, 'partners:write'],
  [`/admin/partners/${clientId}/developers/invite`, 'partners:write'],
  [`/admin/partners/${clientId}/developers/any`, 'partners:write'],
  [`/admin/partners/${clientId}/developers/any/remove`, 'partners:write'],
  [`/admin/partners/${clientId}/end-old-secrets`, 'partners:write'],
  [`/admin/partners/${clientId}/logo`, 'partners:write'],
  [`/admin/partners/${clientId}/apply-lifetime`, 'grants:write'],
  [`/admin/partners/${clientId}/webhooks/${endpointId}/enable`, 'partners:write'],
  [`/admin/partners/${clientId}/webhooks/${endpointId}/disable`, 'partners:write'],
  ['/admin/going-live', 'partners:write'],
  ['/admin/going-live/open', 'partners:write'],
  ['/admin/users/new', 'users:write'],
  ['/admin/users/ada/edit', 'directory:write'],
  ['/admin/users/ada/export', 'users:write'],
  ['/admin/users/ada/erase', 'directory:write'],
  ['/admin/users/ada/disable', 'users:write'],
  ['/admin/users/ada/enable', 'users:write'],
  ['/admin/users/ada/sessions/end', 'users:write'],
  ['/admin/users/ada/reset-factors', 'users:write'],
  ['/admin/users/ada/invite', 'users:write'],
  [`/admin/grants/${grantId}/end`, 'grants:write'],
  ['/admin/incidents', 'incidents:write'],
  ['/admin/keys/rotate', 'keys:write'],
  [`/admin/keys/${kid}/remove`, 'keys:write'],
  ['/admin/api-keys/new', 'operators:write'],
  ['/admin/api-keys/any/revoke', 'operators:write'],
  ['/admin/operators/new', 'operators:write'],
  ...['edit', 'disable', 'enable', 'reset', 'remove'].map((verb): (typeof forms)[number] => [
    `/admin/operators/${owner.id}/${verb}`,
    'operators:write',
  ]),
  ['/admin/settings/firms/firm-1', 'settings:write'],
  ['/admin/settings/roles/firm', 'settings:write'],
]

const changes = async () =>
  (
    await query<{ rows: number }>(
      server.database,
      `SELECT count(*)::int AS rows FROM audit_log WHERE via = 'console' AND actor_kind = 'operator' AND event NOT LIKE 'operator.%'`,
    )
  )[0]?.rows

test('57: the list of forms above is complete', async () => {
  const ofEveryone = ['/admin/audit/export'] // a form that reads
  const known = [...forms.map(([path]) => path), ...ofEveryone]
  const unknown = consoleForms(server).filter(({ pattern }) => !known.some((path) => pattern.test(path)))
  expect(unknown).toEqual([])
})

test.each(['read_only', 'support'] as const)(
  '57: %s: every form that the role does not allow is refused',
  async (role) => {
    const email = `${role}@platform.example`.replace('_', '-')
    const { browser } = await newOperator(server, { email, role })
    const token = await csrfOf(browser)
    const before = await changes()
    for (const [path, scope] of forms) {
      if (scopesOf(role).has(scope)) continue
      const answer = await browser.post(server.authUrl + path, { _csrf: token })
      expect.soft(answer.status, path).toBe(403)
      expect.soft(answer.text, path).toContain('Your role does not allow this')
    }
    expect(await changes()).toBe(before)
  },
)

test('57: read_only: no page shows a form that changes something', async () => {
  const { browser } = await newOperator(server, { email: 'rita@platform.example', role: 'read_only' })
  for (const [name, path] of Object.entries(consolePages(data))) {
    const page = await browser.get(server.authUrl + path)
    const actions = page.document
      .querySelectorAll('main form[method=post]')
      .map((form) => form.getAttribute('action'))
    expect
      .soft(page.status === 403 || actions.filter((action) => action !== '/admin/audit/export'), name)
      .toSatisfy((found: unknown) => found === true || (Array.isArray(found) && found.length === 0))
  }
})

test('57: a request to go live is opened by someone who has just proved their identity', async () => {
  const { id, browser } = await newOperator(server, { email: 'stale@platform.example', role: 'owner' })
  const token = await csrfOf(browser)
  const stale = `UPDATE operator_sessions SET proved_at = now() - interval '16 minutes' WHERE operator_id = $1`
  await query(server.database, stale, [id])
  const answer = await browser.post(`${server.authUrl}/admin/going-live/open`, { _csrf: token, request: 'x' })
  expect(redirectOf(answer)?.pathname).toBe('/admin/confirm')
})

test('57: without a session, every page and form leads to the login', async () => {
  for (const path of [...Object.values(consolePages(data)), ...forms.map(([form]) => form)]) {
    const stranger = new Visitor()
    const answers = [await stranger.get(server.authUrl + path)]
    if (forms.some(([form]) => form === path)) answers.push(await stranger.post(server.authUrl + path, {}))
    for (const { status, headers } of answers) {
      if (status === 404) continue // a form without a page
      expect
        .soft([status, /^\/admin(\/login|$)/.test(headers.get('location') ?? '')], path)
        .toEqual([303, true])
    }
  }
})

test('57: cross-site posts, and posts with the CSRF token of another session, change nothing', async () => {
  const foreign = await csrfOf((await newOperator(server, { email: 'otto@platform.example' })).browser)
  const own = await csrfOf(owner.browser)
  const before = await changes()
  for (const [path] of forms) {
    const url = server.authUrl + path
    const attempts = [
      await owner.browser.post(url, {}),
      await owner.browser.post(url, { _csrf: foreign }),
      await owner.browser.post(url, { _csrf: own }, { origin: 'https://evil.example' }),
      await owner.browser.post(url, { _csrf: own }, { 'sec-fetch-site': 'cross-site' }),
    ]
    expect
      .soft(
        attempts.map(({ status }) => status),
        path,
      )
      .toEqual([403, 403, 403, 403])
  }
  expect(await changes()).toBe(before)
})

test('57: markup in every name is text on every page', async () => {
  const markup = `<img src=x onerror=alert(1)>"'`
  for (const [table, column] of [
    ['partners', 'name'],
    ['partners', 'description'],
    ['users', 'name'],
    ['firms', 'name'],
    ['households', 'name'],
    ['api_keys', 'name'],
    ['developers', 'name'],
    ['webhook_endpoints', 'url'],
    ['webhook_endpoints', 'description'],
    ['webhook_attempts', 'fault'],
  ]) {
    await query(server.database, `UPDATE ${table} SET ${column} = $1`, [markup])
  }
  await query(server.database, 'UPDATE read_log_grants SET partner_name = $1', [markup])
  await query(
    server.database,
    `INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, user_agent, target_kind, target_id, details)
     VALUES ('partner.updated', 'operator', $1, $1, 'console', $1, 'partner', $1, jsonb_build_object('before', jsonb_build_object($1::text, $1::text), $1::text, $1::text))`,
    [markup],
  )
  const search = { found: `/admin/search?q=${encodeURIComponent('<img')}` }
  for (const [name, path] of Object.entries({ ...consolePages(data), ...search })) {
    const page = await owner.browser.get(server.authUrl + path)
    expect.soft(page.status, name).toBe(200)
    expect.soft(page.text, name).not.toContain('<img src=x')
    expect.soft(page.document.querySelectorAll('[onerror]'), name).toEqual([])
  }
  expect((await owner.browser.get(`${server.authUrl}${search.found}`)).text).toContain('&lt;img src=x')
})

test('57: ids in the address that cannot be: NUL, very long, of another kind', async () => {
  for (const path of ['partners', 'users', 'grants', 'reads', 'audit', 'keys']) {
    for (const id of ['%00', 'x'.repeat(400), '..%2f..%2fetc', '99999999999999999999', '%F0%9F%92%A9']) {
      const { status } = await owner.browser.get(`${server.authUrl}/admin/${path}/${id}`)
      expect.soft(status, `${path} ${id}`).toBeLessThan(500)
    }
  }
  for (const query of ['cursor=%00', 'cursor=____', 'since=soon', 'status=9', 'grant_id=x', 'q=%00']) {
    for (const path of ['partners', 'users', 'grants', 'requests', 'reads', 'audit', 'search']) {
      const { status } = await owner.browser.get(`${server.authUrl}/admin/${path}?${query}`)
      expect.soft(status, `${path} ${query}`).toBeLessThan(500)
    }
  }
})

async function csrfOf(browser: Visitor): Promise<string> {
  const page = await browser.get(`${server.authUrl}/admin/partners`)
  return page.document.querySelector('input[name=_csrf]')?.getAttribute('value') ?? ''
}

import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import type { Context } from '../../src/context.ts'
import { changeOperator, removeOperator } from '../../src/operators/operators.ts'
import { createAdminServer, createServer } from '../../src/server.ts'
import { query } from '../support/database.ts'
import { codesOn, keyOn, nextCode } from '../support/factors.ts'
import { addOperator, logInOperator, newOperator, typePassword } from '../support/operators.ts'
import { type TestServer, testServer } from '../support/server.ts'
import { redirectOf, Visitor } from '../support/visitor.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

test('an operator sets up the account with the link, and signs in with password and code', async () => {
  const { email, secret, codes, browser } = await newOperator(server, { name: 'Olive Owner' })
  expect(codes).toHaveLength(10)
  const overview = await browser.get(`${server.authUrl}/admin`)
  expect(overview.status).toBe(200)
  expect(overview.text).toContain('Olive Owner')

  const other = new Visitor()
  expect(redirectOf(await other.get(`${server.authUrl}/admin`))?.href).toBe(
    `${server.authUrl}/admin/login?next=%2Fadmin`,
  )
  const answer = await logInOperator(server, other, { email, secret })
  expect(redirectOf(answer)?.pathname).toBe('/admin')
  expect((await other.follow(answer)).status).toBe(200)
})

test('a recovery code works once instead of the app', async () => {
  const { email, codes } = await newOperator(server, { email: 'lost@platform.example', role: 'support' })
  const use = async () => {
    const browser = new Visitor()
    const page = await browser.follow(await typePassword(server, browser, { email }))
    const fields = { method: 'recovery_code', code: codes[0] ?? '' }
    return browser.submit(page, '/admin/login/second-factor', fields)
  }
  expect(redirectOf(await use())?.pathname).toBe('/admin')
  expect((await use()).status).toBe(403)
})

test('an operator ends other sessions, changes the password and replaces the app', async () => {
  const operator = await newOperator(server, { email: 'change@platform.example', role: 'support' })
  const { browser, email } = operator
  const other = new Visitor()
  await logInOperator(server, other, operator)
  const account = await browser.get(`${server.authUrl}/admin/account`)
  expect(account.document.querySelectorAll('.rows li')).toHaveLength(2)
  await browser.submit(account, '/admin/account/sessions/end', {})
  expect(redirectOf(await other.get(`${server.authUrl}/admin`))?.pathname).toBe('/admin/login')

  const form = await browser.get(`${server.authUrl}/admin/account/password`)
  const weak = await browser.submit(form, '/admin/account/password', { new_password: 'password' })
  expect(weak.status).toBe(400)
  const password = 'velvet canyon sunday prism'
  const changed = await browser.submit(form, '/admin/account/password', { new_password: password })
  expect(redirectOf(changed)?.href).toBe(`${server.authUrl}/admin/account?done=password`)
  expect((await browser.follow(changed)).text).toContain('Your password is changed')

  const page = await browser.get(`${server.authUrl}/admin/account/second-factor`)
  const secret = keyOn(page)
  const codes = await browser.submit(page, '/admin/account/second-factor', { code: nextCode(server, secret) })
  expect(codesOn(codes)).toHaveLength(10)
  const next = new Visitor()
  const step = await next.follow(await typePassword(server, next, { email, password }))
  const answer = await next.submit(step, '/admin/login/second-factor', { code: nextCode(server, secret) })
  expect(redirectOf(answer)?.pathname).toBe('/admin')
})

test('each change of an operator is in the audit log, without secrets', async () => {
  const { id } = await newOperator(server, { email: 'audit@platform.example', role: 'support' })
  await changeOperator(server.database, systemOrigin, id, { role: 'read_only' })
  await removeOperator(server.database, systemOrigin, id)
  const rows = await query<{ event: string; details: object }>(
    server.database,
    'SELECT event, details FROM audit_log WHERE target_id = $1 ORDER BY id',
    [id],
  )
  expect(rows.map(({ event }) => event)).toEqual([
    ...['operator.created', 'operator.updated', 'operator.logged_in', 'operator.updated', 'operator.removed'],
  ])
  expect(rows[3]?.details).toMatchObject({ before: { role: 'support' }, after: { role: 'read_only' } })
  expect(JSON.stringify(rows)).not.toMatch(/argon2|token=/)
})

test('the last active owner stays an owner', async () => {
  const alone = await testServer()
  try {
    const { id } = await addOperator(alone, { email: 'only@platform.example', role: 'owner' })
    await addOperator(alone, { email: 'second@platform.example', role: 'support' })
    const on = [alone.database, systemOrigin] as const
    const refused = { kind: 'refused' }
    expect(await changeOperator(...on, id, { role: 'support' })).toMatchObject(refused)
    expect(await changeOperator(...on, id, { status: 'disabled' })).toMatchObject(refused)
    expect(await removeOperator(...on, 'Only@platform.example')).toMatchObject(refused)
    await changeOperator(...on, 'second@platform.example', { role: 'owner' })
    expect(await removeOperator(...on, id)).toMatchObject({ kind: 'done' })
  } finally {
    await alone.close()
  }
})

test('calls are counted by hour for the overview, as soon as they are written', async () => {
  const { browser } = await newOperator(server, { email: 'count@platform.example', role: 'read_only' })
  await fetch(`${server.baseUrl}api/v1/households`)
  await server.context.callHours.write()
  const page = await browser.get(`${server.authUrl}/admin?range=7d`)
  expect(page.document.querySelector('.metric-value')?.text).toBe('1')
  expect(page.text).toContain('100% with an error')
})

test('with a listener of its own, the public one serves neither console nor admin API', async () => {
  const listener = { host: '127.0.0.1', port: 1 }
  const url = 'http://127.0.0.1:1'
  const context: Context = {
    ...server.context,
    config: { ...server.context.config, admin: { url, listener, networks: [] } },
  }
  const logger = pino({ level: 'silent' })
  const servers = [await createServer(context, logger), await createAdminServer(context, logger)]
  const [open = '', own = ''] = await Promise.all(
    servers.map((each) => each.listen({ host: '127.0.0.1', port: 0 })),
  )
  const get = (base: string, path: string) => fetch(base + path, { redirect: 'manual' })
  const status = async (base: string, path: string) => [path, (await get(base, path)).status]
  for (const path of ['/admin', '/admin/login', '/admin/v1/openapi.json']) {
    expect(await status(open, path)).toEqual([path, 404])
  }
  expect(await status(own, '/admin/v1/openapi.json')).toEqual(['/admin/v1/openapi.json', 200])
  for (const path of ['/login', '/connections', '/api/v1/households']) {
    expect(await status(own, path)).toEqual([path, 404])
  }
  const login = await get(own, '/admin/login')
  expect(login.status).toBe(200)
  for (const [, path = ''] of (await login.text()).matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)) {
    expect(await status(own, path)).toEqual([path, 200])
  }
  await Promise.all(servers.map((each) => each.close()))
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { goingLiveOf, requestGoingLive } from '../../src/going-live/request-going-live.ts'
import { scopes } from '../../src/operators/scopes.ts'
import { adminCaller, newKey } from '../support/admin.ts'
import { commandLine } from '../support/command-line.ts'
import { latestRecord } from '../support/console.ts'
import { query } from '../support/database.ts'
import { developerCaller, newDeveloperKey } from '../support/developer-api.ts'
import { databaseFixture } from '../support/fixtures.ts'
import {
  productionFixture,
  productionSecret,
  productionUrl,
  readyApplication,
  sandboxFixture,
  sandboxKey,
  sandboxSecret,
  settings,
  signedRequest,
} from '../support/going-live.ts'
import { errorOf } from '../support/latchkey.ts'
import { png } from '../support/pictures.ts'

const databases = { sandbox: await databaseFixture(), production: await databaseFixture() }
const sandbox = await sandboxFixture({ on: databases.sandbox })
const production = await productionFixture({ on: databases.production })
const inSandbox = commandLine({
  DATABASE_URL: databases.sandbox.url,
  LATCHKEY_SECRET: sandboxSecret,
  LATCHKEY_PRODUCTION_URL: productionUrl,
})
const inProduction = commandLine({
  DATABASE_URL: databases.production.url,
  LATCHKEY_SECRET: productionSecret,
  LATCHKEY_ENVIRONMENT: 'production',
  LATCHKEY_AUTH_URL: productionUrl,
  LATCHKEY_SANDBOX_KEYS: `ed25519:${sandboxKey(sandboxSecret)}`,
})
const directory = mkdtempSync(join(tmpdir(), 'latchkey-going-live-'))
afterAll(() => rmSync(directory, { recursive: true }))
const listening = { authUrl: `http://127.0.0.1:${production.context.config.port}` }
const call = adminCaller(listening, await newKey(production, [...scopes]))
const open = (request: string) => call('POST', '/going-live-requests', { request })
const preview = (request: string) => call('POST', '/going-live-requests/preview', { request })

async function checksOf(clientId: string): Promise<Record<string, boolean>> {
  const state = await goingLiveOf(sandbox.context, clientId)
  return Object.fromEntries((state?.checks ?? []).map(({ id, done }) => [id, done]))
}

test('the checklist answers from what the sandbox has seen, and the sandbox signs when the required checks are done', async () => {
  const fresh = await sandbox.partner({ name: 'Fresh' })
  expect(await checksOf(fresh.clientId)).toEqual({
    ...{ connected: false, refreshed: false, credentials: true, pkce: false, privacy: false, profile: false },
    ...{ admin: false, second_factor: false, recovered: false, deprecated: false, webhooks: false },
  })
  const input = { clientId: fresh.clientId, settings, requestedBy: 'Dana' }
  const early = await requestGoingLive(sandbox.context, systemOrigin, input, new Date())
  expect(early).toMatchObject({ kind: 'refused', faults: { length: 4 } })

  const ready = await readyApplication(sandbox, {
    name: 'Ready',
    site: 'https://ready.example',
    logo: png(32),
    description: 'Reads households.',
    requirePkce: false,
  })
  await query(
    sandbox.database,
    `INSERT INTO call_hours (hour, kind, client_id, calls, refused, failed, refresh_refused, slower)
     VALUES (date_trunc('hour', now()), 'read', $1, 3, 1, 0, 0, '{}'),
            (date_trunc('hour', now()), 'deprecated listHouseholds', $1, 2, 0, 0, 0, '{}')`,
    [ready.clientId],
  )
  expect(await checksOf(ready.clientId)).toEqual({
    ...{ connected: true, refreshed: true, credentials: true, pkce: false, privacy: true, profile: true },
    ...{ admin: true, second_factor: false, recovered: true, deprecated: false, webhooks: false },
  })
})

test.each([
  ['http', { redirectUris: ['http://app.example/callback'] }, 'must be https in production'],
  ['localhost', { redirectUris: ['https://localhost/callback'] }, 'an address of the machine itself'],
  ['no redirect URI', { redirectUris: [] }, 'At least one redirect URI'],
  ['a webhook address without TLS', { webhookUrls: ['http://app.example/hook'] }, 'must begin with https'],
  ['a private webhook address', { webhookUrls: ['https://10.0.0.1/hook'] }, 'is not public'],
  ['a webhook on the machine itself', { webhookUrls: ['https://localhost/hook'] }, 'the machine itself'],
  ['no contact', { contact: ' ' }, 'The contact is missing'],
  ['text that turns around', { expectedVolume: '1\u202e000' }, 'The expected volume contains'],
])('the sandbox does not sign: %s', async (_name, changes, fault) => {
  const [{ client_id: clientId } = { client_id: '' }] = await query<{ client_id: string }>(
    sandbox.database,
    `SELECT client_id FROM partners WHERE name = 'Ready'`,
  )
  const input = { clientId, settings: { ...settings, ...changes }, requestedBy: 'Dana' }
  const outcome = await requestGoingLive(sandbox.context, systemOrigin, input, new Date())
  expect(outcome).toEqual({ kind: 'refused', faults: [expect.stringContaining(fault)] })
})

test('production previews and opens a request: partner, developers and webhooks, and no secret', async () => {
  const partner = await readyApplication(sandbox, {
    name: 'Ledgerline',
    logo: png(64),
    site: 'https://ledgerline.example',
  })
  const webhookUrls = ['https://93.184.216.34/hooks']
  const request = await signedRequest(sandbox, partner.clientId, { webhookUrls })

  const looked = await preview(request)
  expect(looked).toMatchObject({
    status: 200,
    body: {
      state: 'acceptable',
      client_id: null,
      request: {
        sandbox_client_id: partner.clientId,
        partner: {
          name: 'Ledgerline',
          redirect_uris: settings.redirectUris,
          has_logo: true,
          has_keys: false,
        },
        developers: [{ email: 'dana@ledgerline.example', name: 'Dana Developer', role: 'admin' }],
      },
    },
  })
  expect(looked.body.warnings).toContainEqual(
    expect.stringContaining('Not done in the sandbox: It uses PKCE'),
  )
  expect(await query(production.database, 'SELECT client_id FROM partners')).toEqual([])

  const opened = await open(request)
  expect(opened).toMatchObject({
    status: 201,
    body: {
      client_id: expect.stringMatching(/^live_/),
      invited: [
        {
          email: 'dana@ledgerline.example',
          role: 'admin',
          setup_url: expect.stringContaining(productionUrl),
        },
      ],
    },
  })
  expect(JSON.stringify(opened.body)).not.toContain('lk_live_cs')
  const { client_id: clientId } = opened.body
  expect(opened.headers.get('location')).toBe(`${productionUrl}/admin/v1/partners/${clientId}`)
  expect((await call('GET', `/partners/${clientId}`)).body).toMatchObject({
    ...{ name: 'Ledgerline', redirect_uris: settings.redirectUris, site: 'https://ledgerline.example' },
    ...{ logo: expect.stringMatching(/\.png$/), live_secrets: 0 },
  })
  expect(await latestRecord(production, 'partner.created')).toMatchObject({
    ...{ via: 'admin_api', target_id: clientId },
    details: { request: { sandbox_client_id: partner.clientId, requested_by: 'Dana Developer' } },
  })
  expect(await latestRecord(production, 'developer.invited')).toMatchObject({ via: 'admin_api' })
  expect(await latestRecord(production, 'webhook.added')).toMatchObject({ via: 'admin_api' })
  expect(await latestRecord(sandbox, 'partner.going_live_requested')).toMatchObject({
    target_id: partner.clientId,
  })

  expect(await open(request)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining(clientId) },
  })
  expect((await preview(request)).body).toMatchObject({ state: 'opened', client_id: clientId })
})

test('the preview warns of a similar name, of shared redirect URIs, and of an application that went live before', async () => {
  const partner = await readyApplication(sandbox, { name: 'LEDGER line Pro', site: 'https://other.example' })
  const { warnings } = (await preview(await signedRequest(sandbox, partner.clientId))).body
  expect(warnings).toContainEqual(expect.stringContaining('a similar name: "Ledgerline"'))
  expect(warnings).toContainEqual(expect.stringContaining('has the same redirect URI'))
  expect(warnings).toContainEqual(expect.stringContaining('The redirect URIs lead to app.ledgerline.example'))
  const [{ client_id: twin } = { client_id: '' }] = await query<{ client_id: string }>(
    sandbox.database,
    `SELECT client_id FROM partners WHERE name = 'Ledgerline'`,
  )
  const again = (await preview(await signedRequest(sandbox, twin))).body.warnings
  expect(again).toContainEqual(expect.stringContaining('has gone live before, as "Ledgerline"'))
})

const rowsSince = (id: string) =>
  query<{ id: string; event: string; via: string; details: unknown }>(
    production.database,
    'SELECT id::text, event, via, details FROM audit_log WHERE id > $1 ORDER BY id',
    [id],
  )
/** What the audit log has of an opening, without what differs between two requests. */
async function recordsOf(opening: () => Promise<unknown>) {
  const [last] = await query<{ id: string }>(
    production.database,
    'SELECT coalesce(max(id), 0)::text AS id FROM audit_log',
  )
  await opening()
  const rows = await rowsSince(last?.id ?? '0')
  const details = rows.map((row) =>
    JSON.stringify([row.event, row.details]).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4,}){4}/g, 'uuid'),
  )
  return { details, doors: [...new Set(rows.map(({ via }) => via))] }
}

test('the commands: check, export, show and open leave the same records as the admin API', async () => {
  const { clientId } = await readyApplication(sandbox, { name: 'By Command' })
  expect(await inSandbox.json('going-live', 'key')).toEqual({
    key: `ed25519:${sandboxKey(sandboxSecret)}`,
    other_keys: [],
  })
  expect((await inSandbox.json('going-live', 'check', clientId)).checks).toContainEqual(
    expect.objectContaining({ id: 'connected', done: true }),
  )
  const file = join(directory, 'request.txt')
  const options = ['--redirect-uri', 'https://app.ledgerline.example/callback', '--contact', 'Dana']
  const exporting = [
    'going-live',
    'export',
    clientId,
    ...options,
    '--expected-volume',
    '200 users',
    '--output',
    file,
  ]
  expect(await inSandbox.json(...exporting)).toMatchObject({ file })
  expect(errorOf(await inSandbox.run(...exporting, '--json')).message).toContain('cannot be written')
  expect(await inProduction.json('going-live', 'show', file)).toMatchObject({
    state: 'acceptable',
    request: { partner: { name: 'By Command' } },
  })

  const again = ['going-live', 'export', clientId, ...options, '--expected-volume', '200 users', '--json']
  const { request } = JSON.parse((await inSandbox.run(...again)).stdout)
  const byCommand = await recordsOf(() => inProduction.json('going-live', 'open', file))
  const byApi = await recordsOf(() => open(request))
  expect(byCommand.details.map((text) => JSON.parse(text)[0])).toEqual([
    'partner.created',
    'developer.invited',
  ])
  expect(byApi.details).toEqual(byCommand.details)
  expect([byCommand.doors, byApi.doors]).toEqual([['cli'], ['admin_api']])

  expect(errorOf(await inProduction.run('going-live', 'open', file, '--json'))).toMatchObject({
    ...{ code: 'refused', message: expect.stringContaining('was opened on') },
  })
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, 200))
  expect(errorOf(await inProduction.run('going-live', 'show', file, '--json')).message).toContain(
    'a part of it is missing',
  )
  expect(errorOf(await inProduction.run('going-live', 'key', '--json')).message).toContain(
    'This is production',
  )
})

test('a key of the developers reads the checklist and makes the request', async () => {
  const { clientId } = await readyApplication(sandbox, { name: 'By Key' })
  const byKey = developerCaller(sandbox, await newDeveloperKey(sandbox, clientId, 'admin'))
  const { body: state } = await byKey('GET', '/going-live')
  expect(state).toMatchObject({ production_url: productionUrl })
  expect(state.checks).toContainEqual(expect.objectContaining({ id: 'privacy', done: true }))
  const body = {
    redirect_uris: ['https://key.example/callback'],
    contact: 'Dana',
    expected_volume: '200 users',
  }
  const { body: made } = await byKey('POST', '/going-live-requests', body)
  const { request } = (await preview(made.request)).body
  expect(request).toMatchObject({
    ...{ sandbox_client_id: clientId, requested_by: expect.stringContaining('key of the developer API') },
    partner: { redirect_uris: ['https://key.example/callback'] },
  })
  const early = await byKey('POST', '/going-live-requests', {
    ...body,
    redirect_uris: ['http://key.example/callback'],
  })
  expect(early).toMatchObject({ status: 422, body: { detail: expect.stringContaining('must be https') } })
})

test('a key of the developers finds no checklist in production, and waits its turn in the sandbox', async () => {
  const live = await production.partner()
  const inProduction = developerCaller(listening, await newDeveloperKey(production, live.clientId, 'admin'))
  expect((await inProduction('GET', '/going-live')).status).toBe(404)
  const { clientId } = await sandbox.partner()
  const byKey = developerCaller(sandbox, await newDeveloperKey(sandbox, clientId, 'admin'))
  const limiter = vi.spyOn(sandbox.context.developerReadLimiter, 'admit')
  expect((await byKey('GET', '/going-live')).status).toBe(200)
  limiter.mockReturnValue({ kind: 'refused', bound: 'token' })
  const { status, headers } = await byKey('GET', '/going-live')
  expect([status, headers.get('retry-after')]).toEqual([503, '2'])
  limiter.mockRestore()
})

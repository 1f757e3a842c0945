import { expect, test } from 'vitest'
import { scopes } from '../../src/admin/scopes.ts'
import { systemOrigin } from '../../src/audit/origin.ts'
import { goingLiveOf, requestGoingLive } from '../../src/going-live/request-going-live.ts'
import { adminCaller, newKey } from '../support/admin.ts'
import { latestRecord } from '../support/console.ts'
import { query } from '../support/database.ts'
import {
  productionFixture,
  productionUrl,
  readyApplication,
  sandboxFixture,
  settings,
  signedRequest,
} from '../support/going-live.ts'
import { png } from '../support/pictures.ts'

const sandbox = await sandboxFixture()
const production = await productionFixture()
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
  ['http', { redirectUris: ['http://app.example/callback'] }, 'must be https'],
  ['localhost', { redirectUris: ['https://localhost/callback'] }, 'an address of the machine itself'],
  ['no redirect URI', { redirectUris: [] }, 'At least one redirect URI'],
  ['a webhook address without TLS', { webhookUrls: ['http://localhost:9/hook'] }, 'Webhook address'],
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
    ...{ logo: expect.stringMatching(/\.png$/), live_secrets: 1 },
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

import { createPrivateKey } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { CompactSign, SignJWT } from 'jose'
import { describe, expect, test, vi } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { openRequest } from '../../src/going-live/open-request.ts'
import { type GoingLiveRequest, signRequest } from '../../src/going-live/request.ts'
import { signingKeyOf } from '../../src/going-live/sandbox-key.ts'
import { updatePartner } from '../../src/partners/update-partner.ts'
import { query } from '../support/database.ts'
import {
  productionFixture,
  readyApplication,
  sandboxFixture,
  sandboxKey,
  sandboxSecret,
  signedRequest,
} from '../support/going-live.ts'
import type { TestServer } from '../support/server.ts'

const sandbox = await sandboxFixture()
const production = await productionFixture()
const partner = await readyApplication(sandbox, { name: 'Ledgerline' })
const signed = await signedRequest(sandbox, partner.clientId)
const [header = '', payload = '', signature = ''] = signed.split('.')
const content: GoingLiveRequest = JSON.parse(Buffer.from(payload, 'base64url').toString())

const open = (text: string, at: TestServer = production) => openRequest(at.context, systemOrigin, text)
/** Opens a request in a production that is configured with these keys. */
const openKnowing = (sandboxKeys: string[], text: string) => {
  const { config } = production.context
  return openRequest(
    { ...production.context, config: { ...config, goingLive: { sandboxKeys } } },
    systemOrigin,
    text,
  )
}
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** Signed by the sandbox, as it would sign it itself. */
const resigned = (changes: Partial<GoingLiveRequest>) =>
  signRequest({ ...content, jti: crypto.randomUUID(), ...changes }, signingKeyOf(sandbox.context.keys))

async function rows() {
  const [row] = await query<{ partners: number; requests: number }>(
    production.database,
    'SELECT (SELECT count(*)::int FROM partners) AS partners, (SELECT count(*)::int FROM going_live_requests) AS requests',
  )
  return row
}

const refused = (text: string) => ({
  kind: 'refused',
  faults: [expect.stringContaining(text)],
})

describe('a request that production must not open', () => {
  const other = { ...content, developers: [{ email: 'eve@evil.example', name: 'Eve', role: 'admin' }] }
  const cases: Record<string, [string | Promise<string>, string]> = {
    '88: another developer in it': [`${header}.${encoded(other)}.${signature}`, 'was changed'],
    '88: another signature': [`${header}.${payload}.${'A'.repeat(86)}`, 'was changed'],
    '88: without a signature': [`${header}.${payload}.`, 'was changed'],
    '88: the algorithm none': [
      `${encoded({ alg: 'none', typ: 'latchkey-going-live+jwt', kid: sandboxKey(sandboxSecret) })}.${payload}.`,
      'is not a request to go live',
    ],
    '88: an HMAC with the public key as its secret': [
      new CompactSign(Buffer.from(payload, 'base64url'))
        .setProtectedHeader({ alg: 'HS256', typ: 'latchkey-going-live+jwt', kid: sandboxKey(sandboxSecret) })
        .sign(Buffer.from(sandboxKey(sandboxSecret), 'base64url')),
      'is not a request to go live',
    ],
    '88: signed by another deployment': [
      signRequest(content, signingKeyOf(production.context.keys)),
      'Another deployment signed this request',
    ],
    '88: the key of another deployment under the name of the sandbox': [
      (async () => {
        const [, body = '', sign = ''] = (
          await signRequest(content, signingKeyOf(production.context.keys))
        ).split('.')
        return `${header}.${body}.${sign}`
      })(),
      'was changed',
    ],
    '88: a token of another type that the same key has signed': [
      new SignJWT({ ...content })
        .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: sandboxKey(sandboxSecret) })
        .sign(createPrivateKey(signingKeyOf(sandbox.context.keys).export({ format: 'pem', type: 'pkcs8' }))),
      'is not a request to go live',
    ],
    '88: for another production': [
      resigned({ aud: 'https://other.example' }),
      'The request is for "https://other.example"',
    ],
    '88: expired': [resigned({ exp: Math.floor(Date.now() / 1000) - 1 }), 'expired on'],
    '88: without its end': [signed.slice(0, -20), 'was changed'],
    '88: some other text': ['hello', 'is not a request to go live'],
    '88: a megabyte of text': ['a'.repeat(1_000_000), 'is not a request to go live'],
    '88: a redirect URI without TLS': [
      resigned({ partner: { ...content.partner, redirect_uris: ['http://localhost:3000/callback'] } }),
      'must be https in production',
    ],
    '88: a redirect URI of the machine itself': [
      resigned({ partner: { ...content.partner, redirect_uris: ['https://app.localhost/callback'] } }),
      'an address of the machine itself',
    ],
    '88: a name that turns the text around it': [
      resigned({ partner: { ...content.partner, name: 'Nice Bank \u202egro.live' } }),
      'direction-changing character U+202E',
    ],
    '88: a private key': [
      resigned({
        partner: {
          ...content.partner,
          auth_methods: ['private_key_jwt'],
          jwks: JSON.stringify({ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' }),
        },
      }),
      'is private',
    ],
  }
  test.each(Object.entries(cases))('%s', async (_name, [text, fault]) => {
    const before = await rows()
    expect(await open(await text)).toEqual(refused(fault))
    expect(await rows()).toEqual(before)
  })
})

test('88: twenty openings at the same time register one partner', async () => {
  const text = await resigned({ partner: { ...content.partner, name: 'Once Only' } })
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => open(text)))
  const ids = outcomes.map((outcome) => (outcome.kind === 'refused' ? outcome.faults : outcome.clientId))
  expect(new Set(ids).size).toBe(1)
  expect(outcomes.filter(({ kind }) => kind === 'opened')).toHaveLength(1)
})

test('88: a request that was opened stays used after its partner is deleted', async () => {
  const text = await resigned({ partner: { ...content.partner, name: 'Gone Again' } })
  const first = await open(text)
  if (first.kind !== 'opened') throw new Error(first.kind)
  await query(production.database, 'DELETE FROM partners WHERE client_id = $1', [first.clientId])
  expect(await open(text)).toMatchObject({ kind: 'already_opened', clientId: first.clientId })
})

test('88: a sandbox opens no request, and a production without a configured key neither', async () => {
  expect(await open(signed, sandbox)).toEqual(refused('This is a sandbox'))
  expect(await openKnowing([], signed)).toEqual(refused('LATCHKEY_SANDBOX_KEYS'))
})

test('88: the request has no secret of the sandbox, and the secret of production is in no answer and no log', async () => {
  expect(Buffer.from(payload, 'base64url').toString()).not.toContain('lk_')
  const text = await resigned({ partner: { ...content.partner, name: 'Silent' } })
  const outcome = await open(text)
  expect(JSON.stringify(outcome)).not.toContain('lk_live_cs')
  const [log] = await query<{ log: string }>(
    production.database,
    'SELECT json_agg(a)::text AS log FROM audit_log a',
  )
  expect(log?.log).not.toContain('lk_live_cs')
  expect(production.logs()).not.toContain('lk_live_cs')
})

test('88: replacing the secret of the sandbox does not end its requests while production knows both keys', async () => {
  const next = 'the next secret of the sandbox, 32 bytes or more'
  const text = await resigned({ partner: { ...content.partner, name: 'Over the Switch' } })
  expect(await openKnowing([sandboxKey(next)], text)).toEqual(refused('Another deployment'))
  expect((await openKnowing([sandboxKey(next), sandboxKey(sandboxSecret)], text)).kind).toBe('opened')
})

test('88: the name servers of all webhooks are asked at once, and no connection waits for them', async () => {
  const webhooks = ['one', 'two', 'three'].map((name) => ({ url: `https://${name}.example/`, events: [] }))
  let answer = (_addresses: string[]) => {}
  const answers = new Promise<string[]>((resolve) => {
    answer = resolve
  })
  const resolve4 = vi.spyOn(Resolver.prototype, 'resolve4').mockImplementation(() => answers)
  const opened = open(await resigned({ webhooks }))
  await vi.waitFor(() => expect(resolve4).toHaveBeenCalledTimes(webhooks.length))
  const pools = production.context.database.poolStates()
  expect(pools.filter(({ total, idle }) => total > idle)).toEqual([])
  answer(['93.184.216.34'])
  expect((await opened).kind).toBe('opened')
  resolve4.mockRestore()
})

describe('88: after an application has gone live', () => {
  test.each(['developer', 'developer_key'] as const)('a %s adds no address without TLS', async (kind) => {
    const { database } = production.context
    const redirectUri = 'http://localhost:8400/registered-by-the-operator'
    const { clientId } = await production.partner({ redirectUri })
    const origin = { actor: { kind, id: 'any' }, via: 'developer_api' } as const
    const change = (redirectUris: string[]) =>
      updatePartner(database, origin, 'production', clientId, {
        redirectUris,
        postLogoutRedirectUris: redirectUris,
      })
    for (const uri of [
      'http://localhost:8080/callback',
      'https://localhost/callback',
      'https://127.0.0.1/',
    ]) {
      expect(await change([uri])).toMatchObject({
        kind: 'refused',
        faults: [expect.any(String), expect.any(String)],
      })
    }
    // What the operator has registered stays.
    const kept = [redirectUri, 'https://ledger.example/new']
    const outcome = await updatePartner(database, origin, 'production', clientId, { redirectUris: kept })
    expect(outcome).toMatchObject({ kind: 'updated' })
  })
})

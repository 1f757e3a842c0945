import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { updatePartner } from '../../src/partners/update-partner.ts'
import {
  assertionOf,
  assertionParameters,
  newSigningPair,
  type SigningPair,
} from '../support/client-assertion.ts'
import { type CommandLine, commandLine } from '../support/command-line.ts'
import { issued, tokensFor } from '../support/connection.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { refresh, token } from '../support/journey.ts'
import { errorOf } from '../support/latchkey.ts'
import { neverIssued } from '../support/never-issued.ts'
import { png, realWebp } from '../support/pictures.ts'
import { type TestPartner, type TestServer, testServer } from '../support/server.ts'
import { postForm } from '../support/token-endpoint.ts'

const secret = randomBytes(32).toString('hex')
const redirectUri = 'https://partner.example/callback'
let db: TestDatabase
let server: TestServer
let cli: CommandLine
let directory: string
let pair: SigningPair
let jwks: string

beforeAll(async () => {
  db = await testDatabase()
  server = await testServer({ on: db, secret })
  await seed(db.database, { users: [{ id: 'ada' }] })
  cli = commandLine({ DATABASE_URL: db.url, LATCHKEY_SECRET: secret })
  directory = mkdtempSync(join(tmpdir(), 'latchkey-jwks-'))
  pair = await newSigningPair('ES256')
  jwks = join(directory, 'jwks.json')
  writeFileSync(jwks, JSON.stringify(pair.jwk))
})
afterAll(async () => {
  await server?.close()
  await db?.drop()
  if (directory) rmSync(directory, { recursive: true })
})

const request = () => ({ grant_type: 'refresh_token', refresh_token: neverIssued('rt') })

/** The token endpoint's error. `invalid_grant` means that the client is authenticated. */
async function answerToSecret(partner: TestPartner, clientSecret = partner.clientSecret): Promise<unknown> {
  return (await token(server, { ...partner, clientSecret }, request())).body.error
}

async function answerToKey(clientId: string): Promise<unknown> {
  const signed = assertionParameters(await assertionOf(server, clientId, pair))
  return (await postForm(server, { ...request(), ...signed })).body.error
}

const update = (clientId: string, ...options: string[]) => cli.json('partner', 'update', clientId, ...options)

describe('partner update', () => {
  test('changes the named properties and leaves the others', async () => {
    const partner = await server.partner({ name: 'Before' })
    const before = await cli.json('partner', 'show', partner.clientId)
    const uris = ['https://partner.example/one', 'http://localhost:4010/two']
    const changed = await update(
      partner.clientId,
      ...['--name', ' After ', '--redirect-uri', ...uris, '--site', 'https://partner.example'],
    )
    const { created_at, live_secrets, ...rest } = before
    expect(changed).toEqual({
      ...rest,
      name: 'After',
      redirect_uris: uris,
      site: 'https://partner.example',
    })
    expect(await cli.text('partner', 'show', partner.clientId)).toContain(
      'site           https://partner.example\n',
    )
    expect(await answerToSecret(partner)).toBe('invalid_grant')

    expect(await update(partner.clientId, '--no-site')).toEqual({ ...changed, site: null })
    expect(await cli.json('partner', 'show', partner.clientId)).toEqual({
      ...changed,
      site: null,
      created_at,
      live_secrets,
    })
  })

  test('the days for which a consent is valid are set, changed and removed', async () => {
    const create = ['partner', 'create', '--name', 'Yearly', '--redirect-uri', redirectUri]
    const { client_id: clientId } = await cli.json(...create, '--grant-lifetime-days', '365')
    expect(await cli.text('partner', 'show', clientId)).toContain('consents       end after 365 days\n')
    const days = async (...args: string[]) => (await update(clientId, ...args)).grant_lifetime_days
    expect(await days('--grant-lifetime-days', '90')).toBe(90)
    expect(await days('--name', 'Quarterly')).toBe(90)
    expect(await days('--no-grant-lifetime-days')).toBeNull()
    const wrong = await cli.run('partner', 'update', clientId, '--grant-lifetime-days', '3651', '--json')
    expect(errorOf(wrong)).toEqual({
      code: 'usage',
      message: expect.stringContaining('It must be a number of days from 1 to 3650, not "3651".'),
    })
  })

  test('limits are set, changed and removed one by one', async () => {
    const create = ['partner', 'create', '--name', 'Limited', '--redirect-uri', redirectUri]
    const { client_id: clientId } = await cli.json(...create, '--requests-per-minute', '600')
    const limits = async (...args: string[]) => (await update(clientId, ...args)).limits
    expect(await limits('--token-requests-per-minute', '60', '--expensive-reads', '2')).toEqual({
      requests_per_minute: 600,
      token_requests_per_minute: 60,
      expensive_reads: 2,
    })
    expect(await cli.text('partner', 'show', clientId)).toContain(
      'limit          600 requests to the API per minute\n' +
        'limit          60 token requests and introspections per minute\n' +
        'limit          2 searches and long syncs at the same time\n',
    )
    expect(await limits('--requests-per-minute', 'none', '--token-requests-per-minute', '90')).toEqual({
      token_requests_per_minute: 90,
      expensive_reads: 2,
    })
    const wrong = await cli.run('partner', 'update', clientId, '--expensive-reads', '0', '--json')
    expect(errorOf(wrong)).toEqual({
      code: 'usage',
      message: expect.stringContaining('must be a number from 1 to 1000000, not "0", or none'),
    })
  })

  test('--id-token-on-refresh applies to the next refresh, and --no-id-token-on-refresh ends it', async () => {
    const partner = await server.partner()
    let { refreshToken } = await tokensFor(server, partner, 'ada')
    const refreshed = async () => {
      const tokens = issued(await refresh(server, partner, refreshToken))
      refreshToken = tokens.refreshToken
      return tokens.idToken
    }
    expect(await refreshed()).toBe('')
    expect(await update(partner.clientId, '--id-token-on-refresh')).toMatchObject({
      id_token_on_refresh: true,
    })
    expect(await update(partner.clientId, '--name', 'Same')).toMatchObject({ id_token_on_refresh: true })
    expect(decodeJwt(await refreshed()).aud).toBe(partner.clientId)
    expect(await update(partner.clientId, '--no-id-token-on-refresh')).toMatchObject({
      id_token_on_refresh: false,
    })
    expect(await refreshed()).toBe('')
  })

  test('from a secret to keys and back: the new secret is shown only once, the old ones are dead', async () => {
    const partner = await server.partner()
    const signing = await update(partner.clientId, '--auth-method', 'private_key_jwt', '--jwks', jwks)
    expect(signing).toMatchObject({ auth_methods: ['private_key_jwt'], key_ids: [pair.jwk.kid] })
    expect(signing).not.toHaveProperty('client_secret')
    expect(await answerToKey(partner.clientId)).toBe('invalid_grant')
    expect(await answerToSecret(partner)).toBe('invalid_client')

    const shown = await cli.text('partner', 'update', partner.clientId, '--auth-method', 'client_secret_post')
    expect(shown).toMatch(
      /\nclient_secret {2}lk_test_cs_\w{49}\n\nKeep the secret: it is shown only once\.\n$/,
    )
    expect(await answerToSecret(partner, /lk_test_cs_\w+/.exec(shown)?.[0])).toBe('invalid_grant')
    expect(await answerToSecret(partner)).toBe('invalid_client')
    expect(await answerToKey(partner.clientId)).toBe('invalid_client')
    expect((await cli.json('partner', 'show', partner.clientId)).key_ids).toEqual([])
  })

  test('a second method keeps the existing credentials', async () => {
    const partner = await server.partner()
    const both = ['--auth-method', 'client_secret_post', 'private_key_jwt']
    expect(await update(partner.clientId, ...both, '--jwks', jwks)).not.toHaveProperty('client_secret')
    expect(await answerToSecret(partner)).toBe('invalid_grant')
    expect(await answerToKey(partner.clientId)).toBe('invalid_grant')
    expect(await update(partner.clientId, '--auth-method', 'private_key_jwt')).toMatchObject({
      key_ids: [pair.jwk.kid],
    })
    expect(await answerToKey(partner.clientId)).toBe('invalid_grant')
  })

  test('reports every fault at once and changes nothing', async () => {
    const { clientId } = await server.partner()
    const before = await cli.json('partner', 'show', clientId)
    const finished = await cli.run(
      ...['partner', 'update', clientId, '--name', '', '--redirect-uri', 'http://partner.example/'],
      ...['--site', 'javascript:alert(1)', '--auth-method', 'none', 'private_key_jwt', '--json'],
    )
    expect(finished).toMatchObject({ code: 1, stdout: '' })
    expect(errorOf(finished).message.split('\n')).toEqual([
      expect.stringContaining('The name must have 1 to 100 characters'),
      expect.stringContaining('Redirect URI "http://partner.example/" must be https'),
      expect.stringContaining('Site "javascript:alert(1)"'),
      'There is no authentication method "none".',
      'private_key_jwt needs a JWKS with the public keys of the partner.',
    ])
    expect(await cli.json('partner', 'show', clientId)).toEqual(before)
  })

  test.each([
    ['nothing to change', [], 'There is nothing to change.'],
    ['a JWKS without authentication methods', ['--jwks'], 'A JWKS needs new authentication methods.'],
  ])('%s is refused', async (_case, options, message) => {
    const { clientId } = await server.partner()
    const more = options.length > 0 ? [...options, jwks] : []
    const finished = await cli.run('partner', 'update', clientId, ...more)
    expect(finished).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) })
  })

  test('an unknown partner is reported as not_found', async () => {
    const finished = await cli.run('partner', 'update', 'test_nobody', '--name', 'x', '--json')
    expect(errorOf(finished)).toMatchObject({ code: 'not_found' })
  })
})

test('concurrent changes of the authentication method are atomic: secrets and keys match the methods', async () => {
  const { clientId } = await server.partner()
  const keys = JSON.stringify(pair.jwk)
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, turn) =>
      updatePartner(db.database, systemOrigin, 'sandbox', clientId, {
        ...(turn % 2
          ? { authMethods: ['private_key_jwt'], jwks: keys }
          : { authMethods: ['client_secret_post'] }),
      }),
    ),
  )
  expect(outcomes.every(({ kind }) => kind === 'updated' || kind === 'conflict')).toBe(true)
  const { auth_methods, key_ids, live_secrets } = await cli.json('partner', 'show', clientId)
  const signs = auth_methods[0] === 'private_key_jwt'
  expect({ keys: key_ids.length, secrets: live_secrets }).toEqual(
    signs ? { keys: 1, secrets: 0 } : { keys: 0, secrets: 1 },
  )
})

test('what users see of a partner is set when it is created, changed, and removed', async () => {
  const [first, second] = [join(directory, 'first.png'), join(directory, 'second.webp')]
  writeFileSync(first, png(64))
  writeFileSync(second, realWebp)
  const { client_id: clientId } = await cli.json(
    ...['partner', 'create', '--name', 'Seen', '--redirect-uri', redirectUri, '--logo', first],
    ...['--description', ' Plans for retirement ', '--privacy-url', 'https://partner.example/privacy#apps'],
  )
  const created = await cli.text('partner', 'show', clientId)
  const logo = /^logo {11}([\w-]{22}\.png)$/m.exec(created)?.[1]
  expect(created).toContain('privacy URL    https://partner.example/privacy#apps\n')
  expect(created).toContain('description    Plans for retirement\n')
  const shown = await fetch(`${server.authUrl}/assets/partners/${logo}`)
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(png(64))
  expect(await update(clientId, '--logo', second)).toMatchObject({
    logo: expect.stringMatching(/\.webp$/),
    description: 'Plans for retirement',
  })
  const refused = await cli.run(
    'partner',
    'update',
    clientId,
    '--logo',
    jwks,
    '--description',
    'x'.repeat(201),
  )
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('The logo is not a PNG or WebP picture.\nThe description must have')
  expect(await update(clientId, '--no-logo', '--no-description', '--no-privacy-url')).toMatchObject({
    logo: null,
    description: null,
    privacy_url: null,
  })
  const missing = await cli.run('partner', 'update', clientId, '--logo', join(directory, 'none.png'))
  expect(missing).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('none.png cannot be read: ENOENT'),
  })
})

test('partner create accepts a site', async () => {
  const options = ['--name', 'Sited', '--redirect-uri', redirectUri, '--site', 'http://localhost:4010']
  const { client_id: clientId } = await cli.json('partner', 'create', ...options)
  expect((await cli.json('partner', 'show', clientId)).site).toBe('http://localhost:4010')
  const refused = await cli.run('partner', 'create', ...options.slice(0, -1), 'http://partner.example')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('must be https') })
})

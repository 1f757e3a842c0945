import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { calculateJwkThumbprint, exportJWK } from 'jose'
import { afterAll, describe, expect, test } from 'vitest'
import {
  assertionOf,
  assertionParameters,
  newSigningPair,
  type SigningPair,
} from '../support/client-assertion.ts'
import { commandLine } from '../support/command-line.ts'
import { query } from '../support/database.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { errorOf } from '../support/latchkey.ts'
import { neverIssued } from '../support/never-issued.ts'
import { postForm } from '../support/token-endpoint.ts'

const secret = randomBytes(32).toString('hex')
const redirectUri = 'https://partner.example/callback'

const db = await databaseFixture()
const server = await serverFixture({ on: db, secret })
const cli = commandLine({ DATABASE_URL: db.url, LATCHKEY_SECRET: secret })
const directory = mkdtempSync(join(tmpdir(), 'latchkey-keys-'))
const rsa = await newSigningPair('RS256')
const elliptic = await newSigningPair('ES256')
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function fileOf(content: unknown): string {
  const file = join(directory, `${randomBytes(6).toString('hex')}.json`)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const options = ['--name', 'Signer', '--redirect-uri', redirectUri]
const signing = (jwks: unknown) => ['--auth-method', 'private_key_jwt', '--jwks', fileOf(jwks)]
const create = (...more: string[]) => cli.json('partner', 'create', ...options, ...more)

/** The token endpoint's error. `invalid_grant` means that the client is authenticated. */
async function answerTo(clientId: string, by: SigningPair): Promise<unknown> {
  const params = { grant_type: 'refresh_token', refresh_token: neverIssued('rt') }
  const signed = assertionParameters(await assertionOf(server, clientId, by))
  return (await postForm(server, { ...params, ...signed })).body.error
}

async function faultsOf(...args: string[]): Promise<string[]> {
  const before = await cli.json('partner', 'list')
  const finished = await cli.run('partner', ...args, '--json')
  expect(finished).toMatchObject({ code: 1, stdout: '' })
  expect(await cli.json('partner', 'list')).toEqual(before)
  return errorOf(finished).message.split('\n')
}

describe('partner create for private_key_jwt', () => {
  test('creates no secret, accepts a JWKS or a single JWK, and show prints all properties', async () => {
    const made = await create(
      ...signing({ keys: [rsa.jwk, elliptic.jwk] }),
      ...['--id-token-alg', 'ES256', '--post-logout-redirect-uri', 'https://partner.example/bye'],
    )
    expect(Object.keys(made)).toEqual(['client_id'])
    for (const pair of [rsa, elliptic]) expect(await answerTo(made.client_id, pair)).toBe('invalid_grant')
    expect(await cli.json('partner', 'show', made.client_id)).toMatchObject({
      auth_methods: ['private_key_jwt'],
      key_ids: [rsa.kid, elliptic.kid],
      id_token_alg: 'ES256',
      post_logout_redirect_uris: ['https://partner.example/bye'],
      live_secrets: 0,
    })
    expect((await cli.text('partner', 'show', made.client_id)).split('\n')).toEqual([
      `client_id      ${made.client_id}`,
      'name           Signer',
      'status         active',
      'PKCE           supported',
      `redirect URI   ${redirectUri}`,
      'after logout   https://partner.example/bye',
      'authenticates  private_key_jwt',
      `key            ${rsa.kid}`,
      `key            ${elliptic.kid}`,
      'id_token       ES256',
      'live secrets   0',
      '',
    ])
    expect(await cli.text('partner', 'create', ...options, ...signing(elliptic.jwk))).toMatch(
      /^client_id {6}test_\w{22}\n$/,
    )
  })

  test('with a secret method as well: a secret is created and printed', async () => {
    const methods = ['--auth-method', 'client_secret_basic', 'private_key_jwt', '--jwks', fileOf(rsa.jwk)]
    const made = await create(...methods)
    expect(Object.keys(made)).toEqual(['client_id', 'client_secret'])
    expect(await answerTo(made.client_id, rsa)).toBe('invalid_grant')
  })

  test('a key without a kid gets its thumbprint as kid, and only the public key is stored', async () => {
    const { kid: _, ...nameless } = elliptic.jwk
    const { client_id: clientId } = await create(
      ...signing({ ...nameless, use: 'sig', x5c: ['x'], note: 'x' }),
    )
    const kid = await calculateJwkThumbprint(nameless)
    expect((await cli.json('partner', 'show', clientId)).key_ids).toEqual([kid])
    expect(await query(db.database, 'SELECT jwks FROM partners WHERE client_id = $1', [clientId])).toEqual([
      { jwks: { keys: [{ ...nameless, kid }] } },
    ])
    expect(await answerTo(clientId, { ...elliptic, kid })).toBe('invalid_grant')
  })
})

describe('partner create refuses', () => {
  test('and reports every fault at once', async () => {
    const bad = ['--redirect-uri', 'http://partner.example/', '--post-logout-redirect-uri', 'javascript:x']
    const jwks = fileOf({ keys: [elliptic.jwk, await exportJWK(elliptic.privateKey), { kty: 'OKP' }] })
    const more = ['--auth-method', 'none', 'client_secret_jwt', '--jwks', jwks, '--id-token-alg', 'none']
    expect(await faultsOf('create', '--name', '', ...bad, ...more)).toEqual([
      expect.stringContaining('The name must have'),
      expect.stringContaining('Redirect URI "http://partner.example/" must be https'),
      expect.stringContaining('Post-logout redirect URI "javascript:x" must be https'),
      'There is no authentication method "none".',
      'There is no authentication method "client_secret_jwt".',
      'A JWKS is only for partners that authenticate with private_key_jwt.',
      expect.stringContaining('Key 2 is private'),
      expect.stringContaining('Key 3 must be RSA or EC'),
      'The algorithm of id_tokens must be RS256 or ES256.',
    ])
  })

  test('private_key_jwt without keys, and a missing file', async () => {
    expect(await faultsOf('create', ...options, '--auth-method', 'private_key_jwt')).toEqual([
      'private_key_jwt needs a JWKS with the public keys of the partner.',
    ])
    const missing = join(directory, 'missing.json')
    const [fault] = await faultsOf(
      'create',
      ...options,
      '--auth-method',
      'private_key_jwt',
      '--jwks',
      missing,
    )
    expect(fault).toContain(`${missing} cannot be read`)
  })
})

describe('partner set-keys', () => {
  test('replaces the keys from the next request on', async () => {
    const { client_id: clientId } = await create(...signing(rsa.jwk))
    expect(await answerTo(clientId, rsa)).toBe('invalid_grant')
    const changed = await cli.json('partner', 'set-keys', clientId, '--jwks', fileOf(elliptic.jwk))
    expect(changed).toMatchObject({ client_id: clientId, key_ids: [elliptic.kid] })
    expect(await answerTo(clientId, rsa)).toBe('invalid_client')
    expect(await answerTo(clientId, elliptic)).toBe('invalid_grant')
    expect(await cli.text('partner', 'set-keys', clientId, '--jwks', fileOf(rsa.jwk))).toContain(
      `key            ${rsa.kid}\n`,
    )
  })

  test('refuses what create refuses and keeps the current keys', async () => {
    const { client_id: clientId } = await create(...signing(rsa.jwk))
    const bad = fileOf({ keys: [await exportJWK(rsa.privateKey)] })
    expect(await faultsOf('set-keys', clientId, '--jwks', bad)).toEqual([
      expect.stringContaining('Key 1 is private'),
    ])
    expect(await answerTo(clientId, rsa)).toBe('invalid_grant')
  })

  test('is refused for a partner with only a secret and for an unknown partner', async () => {
    const { client_id: clientId } = await create()
    const jwks = ['--jwks', fileOf(rsa.jwk)]
    expect(await faultsOf('set-keys', clientId, ...jwks)).toEqual([
      'A JWKS is only for partners that authenticate with private_key_jwt.',
    ])
    expect(await faultsOf('set-keys', 'test_nobody', ...jwks)).toEqual([
      'There is no partner test_nobody. `latchkey partner list` shows all partners.',
    ])
  })
})

test('partner rotate-secret of a partner without secrets says what to do instead', async () => {
  const { client_id: clientId } = await create(...signing(rsa.jwk))
  expect(await faultsOf('rotate-secret', clientId)).toEqual([
    `The partner ${clientId} has no secret: it authenticates with private_key_jwt. \`latchkey partner set-keys\` replaces its keys.`,
  ])
})

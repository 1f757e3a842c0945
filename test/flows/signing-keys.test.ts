import { createHash } from 'node:crypto'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { refresh, send } from '../support/journey.ts'
import { jwksUrl, keysOf, publishedKids } from '../support/keys.ts'
import { testServer } from '../support/server.ts'

const db = await databaseFixture()
/** Not the secret of the other tests, whose keys exist already. */
const secret = 'a secret of which there are no keys yet'
const servers = await Promise.all(Array.from({ length: 6 }, () => serverFixture({ on: db, secret })))
const [first] = servers
if (!first) throw new Error('no server')
const server = first
await seed(db.database, { users: ['ada'], households: ['h1'] })

test('six servers that start at once on an empty database agree on one key of each algorithm', async () => {
  const keys = await keysOf(server)
  expect(keys).toEqual([
    { kid: expect.any(String), algorithm: 'ES256', generation: 1, opens: true },
    { kid: expect.any(String), algorithm: 'RS256', generation: 1, opens: true },
  ])
  for (const one of servers) expect(await publishedKids(one)).toEqual(keys.map(({ kid }) => kid))
})

describe.each(['RS256', 'ES256'] as const)('a partner with %s', (algorithm) => {
  test('gets id_tokens with this algorithm, which any server signs and any server publishes the key of', async () => {
    const partner = await server.partner({ idTokenAlg: algorithm })
    const first = await tokensFor(server, partner, 'ada')
    for (const [at, other] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const { body } = await refresh(servers[at] ?? server, partner, first.refreshToken, { token_type: 'id' })
      const idToken = String(body.id_token)
      const jwks = createRemoteJWKSet(new URL(jwksUrl(servers[other] ?? server)))
      const { payload, protectedHeader } = await jwtVerify(idToken, jwks, { audience: partner.clientId })
      expect(protectedHeader.alg).toBe(algorithm)
      const digest = createHash('sha256').update(String(body.access_token)).digest()
      expect(payload).toMatchObject({
        at_hash: digest.subarray(0, 16).toString('base64url'),
        acr: 'urn:latchkey:acr:password',
        amr: ['pwd'],
      })
    }
  })
})

test('no database statement is needed for the keys', async () => {
  const partner = await server.partner({ idTokenAlg: 'RS256' })
  const { idToken } = await tokensFor(server, partner, 'ada')
  await query(db.database, 'ALTER TABLE signing_keys RENAME TO signing_keys_away')
  try {
    expect(await publishedKids(server)).toContain(decodeProtectedHeader(idToken).kid)
    await tokensFor(server, partner, 'ada')
  } finally {
    await query(db.database, 'ALTER TABLE signing_keys_away RENAME TO signing_keys')
  }
})

test('the JWKS may be cached for five minutes and contains no private values', async () => {
  const { headers, body } = await send(jwksUrl(server), {})
  expect(headers.get('cache-control')).toBe('public, max-age=300')
  for (const key of Array.isArray(body.keys) ? body.keys : [body]) {
    for (const name of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key).not.toHaveProperty(name)
  }
})

test('private keys are stored encrypted', async () => {
  const rows = await query<{ private_jwk: string }>(db.database, 'SELECT private_jwk FROM signing_keys')
  for (const { private_jwk } of rows) {
    expect(decodeProtectedHeader(private_jwk)).toEqual({ alg: 'dir', enc: 'A256GCM' })
    expect(private_jwk.split('.')).toHaveLength(5)
  }
})

test('a server with another secret does not start and reports the reason', async () => {
  const other = testServer({ on: db, secret: 'another secret, which is as long as it must be' })
  await expect(other).rejects.toThrow(/encrypted with another secret than LATCHKEY_SECRET/)
  expect(await keysOf(server)).toHaveLength(2)
})

test('discovery lists the signing algorithms and the claims', async () => {
  const { body } = await send(`${server.authUrl}/.well-known/openid-configuration`, {})
  expect(body).toMatchObject({
    id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    acr_values_supported: [
      'urn:latchkey:acr:password',
      'urn:latchkey:acr:two-factor',
      'urn:latchkey:acr:phishing-resistant',
    ],
    claims_supported: expect.arrayContaining(['acr', 'amr', 'at_hash']),
  })
})

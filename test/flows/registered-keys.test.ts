import { generateKeyPairSync } from 'node:crypto'
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { createPartner } from '../../src/partners/partners.ts'
import { newSigningPair } from '../support/client-assertion.ts'
import { query } from '../support/database.ts'
import { databaseFixture } from '../support/fixtures.ts'

const db = await databaseFixture()
const rsa = await newSigningPair('RS256')
const elliptic = await newSigningPair('ES256')

function register(jwks: string) {
  return createPartner(db.database, systemOrigin, 'sandbox', {
    name: 'Signer',
    redirectUris: ['https://partner.example/callback'],
    requirePkce: false,
    authMethods: ['private_key_jwt'],
    jwks,
  })
}

const weakRsa = () => generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })

describe('a partner is not registered with', () => {
  const jwkOf = async (alg: string, more: object = {}) => {
    const { publicKey } = await generateKeyPair(alg, { extractable: true, ...more })
    return exportJWK(publicKey)
  }
  const ed25519 = () => jwkOf('EdDSA')

  test.each<[string, () => Promise<unknown> | unknown, string]>([
    ['a private RSA key', () => exportJWK(rsa.privateKey), 'Key 1 is private (d, p, q, dp, dq, qi)'],
    ['a private elliptic key', () => exportJWK(elliptic.privateKey), 'Key 1 is private (d)'],
    ['a symmetric key', () => ({ kty: 'oct', k: 'AAAA' }), 'Key 1 is symmetric'],
    ['the curve P-384', () => jwkOf('ES384'), 'Key 1 must be on the curve P-256'],
    ['Ed25519', ed25519, 'Key 1 must be RSA or EC'],
    ['RSA of 1024 bits', () => weakRsa(), 'Key 1 is RSA with fewer than 2048 bits'],
    ['RSA with the exponent 1', () => ({ ...rsa.jwk, e: 'AQ' }), 'Key 1 is RSA with an exponent below 65537'],
    ['a point off the curve', () => ({ ...elliptic.jwk, x: elliptic.jwk.y }), 'Key 1 is not a valid key'],
    ['a key for encryption', () => ({ ...rsa.jwk, use: 'enc' }), 'Key 1 is not for signatures'],
    [
      'an alg of another key type',
      () => ({ ...rsa.jwk, alg: 'ES256' }),
      'Key 1 must have the alg RS256 or PS256',
    ],
    [
      'a kid of control characters',
      () => ({ ...rsa.jwk, kid: '\x1b[2J' }),
      'Key 1 lacks a member, or a member is invalid.',
    ],
    [
      'a key without n',
      () => ({ ...rsa.jwk, n: undefined }),
      'Key 1 lacks a member, or a member is invalid.',
    ],
    ['a key that is not an object', () => ({ keys: ['x'] }), 'Key 1 is not a JSON Web Key'],
    [
      'a duplicate kid',
      () => ({ keys: [rsa.jwk, { ...elliptic.jwk, kid: rsa.kid }] }),
      'More than one key has the kid',
    ],
    ['six keys', () => ({ keys: Array(6).fill(rsa.jwk) }), 'The JWKS must have 1 to 5 keys, and it has 6'],
    ['no keys', () => ({ keys: [] }), 'The JWKS must have 1 to 5 keys, and it has 0'],
    ['text that is not JSON', () => '{', 'The JWKS is neither a JSON Web Key Set'],
    ['JSON of another kind', () => '[]', 'The JWKS is neither a JSON Web Key Set'],
  ])('%s', async (_case, jwks, fault) => {
    const content = await jwks()
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    expect(await register(text)).toEqual({ kind: 'refused', faults: [expect.stringContaining(fault)] })
    expect(await query(db.database, 'SELECT FROM partners')).toEqual([])
  })
})

test('a partner is registered with five keys of every kind', async () => {
  const pairs = await Promise.all(
    ['RS256', 'PS256', 'ES256', 'ES256', 'ES256'].map((alg) => newSigningPair(alg)),
  )
  const keys = pairs.map(({ jwk, alg }) => ({ ...jwk, alg }))
  expect(await register(JSON.stringify({ keys }))).toMatchObject({ kind: 'created', clientSecret: undefined })
})

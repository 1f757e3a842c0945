import { type CryptoKey, exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { signingAlgorithms } from '../../src/keys/signing-keys.ts'
import { openJson } from '../../src/secrets/seal.ts'
import { readIdTokenHint } from '../../src/tokens/id-token.ts'
import { tokensFor } from '../support/connection.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { neverIssued } from '../support/never-issued.ts'

const db = await databaseFixture()
const server = await serverFixture({ on: db })
const partner = await server.partner()
await seed(server.database, { users: ['ada'], households: ['h1'] })
const genuine = (await tokensFor(server, partner, 'ada')).idToken

const hint = (text: string) => readIdTokenHint(server.context, text)

/** Like a genuine one, except for the given values. */
async function forged(
  key: CryptoKey | Uint8Array,
  header: { alg?: string; kid?: string },
  claims: Record<string, unknown> = {},
): Promise<string> {
  const { kid } = await server.context.keyring.signer('RS256')
  return new SignJWT({ iss: server.authUrl, sub: 'ada', aud: partner.clientId, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid, ...header })
    .sign(key)
}

describe('a genuine id_token_hint', () => {
  test.each(signingAlgorithms)(
    'signed with %s, expired or not: gives its subject and audience',
    async (algorithm) => {
      const own = await server.partner({ idTokenAlg: algorithm })
      const { idToken } = await tokensFor(server, own, 'ada')
      const [, payload = ''] = idToken.split('.')
      const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString())
      for (const seconds of [0, 30 * 24 * 3600]) {
        server.advanceClock(seconds)
        expect(await hint(idToken)).toEqual({ kind: 'valid', subject: sub, clientId: own.clientId })
      }
    },
  )
})

describe('a forged id_token_hint', () => {
  test.each<[string, () => Promise<string> | string]>([
    ['no token', () => ''],
    ['no JWT', () => 'a.b.c'],
    ['an access token', () => neverIssued('at')],
    ['a sealed private key', async () => sealedKey()],
    ['other claims under the same signature', () => swapPayload()],
    ['a signature changed', () => genuine.replace(/.{4}$/, 'AAAA')],
    ['alg none', () => unsecured()],
    ['signed by another key under the server’s kid', async () => forged(await foreignKey(), {})],
    ['signed by a key that the server never had', async () => forged(await foreignKey(), { kid: 'never' })],
    ['HS256 with the server’s public key as the secret', () => hmacWithPublicKey()],
    ['PS256 under the kid of an RS256 key', () => pss()],
    ['the kid of a key of the other algorithm', () => otherKid()],
    ['another issuer, signed with the server’s key', () => ours({ iss: 'https://elsewhere.example' })],
    ['no subject, signed with the server’s key', () => ours({ sub: undefined })],
    ['several audiences, signed with the server’s key', () => ours({ aud: [partner.clientId, 'other'] })],
  ])('%s: invalid', async (_what, make) => {
    expect(await hint(await make())).toEqual({ kind: 'invalid' })
  })

  const foreignKey = async () => (await generateKeyPair('RS256')).privateKey

  async function ours(claims: Record<string, unknown>): Promise<string> {
    return forged((await server.context.keyring.signer('RS256')).privateKey, {}, claims)
  }

  async function sealedKey(): Promise<string> {
    const { private_jwk } = await server.context.keyring.signer('RS256')
    return private_jwk ?? ''
  }

  function swapPayload(): string {
    const [header, , signature] = genuine.split('.')
    const payload = Buffer.from(JSON.stringify({ iss: server.authUrl, sub: 'eve', aud: partner.clientId }))
    return [header, payload.toString('base64url'), signature].join('.')
  }

  const unsecured = () =>
    new UnsecuredJWT({ iss: server.authUrl, sub: 'ada', aud: partner.clientId }).encode()

  async function hmacWithPublicKey(): Promise<string> {
    const { publicKey } = await server.context.keyring.signer('RS256')
    return forged(Buffer.from(await exportSPKI(publicKey)), { alg: 'HS256' })
  }

  /** Valid except for its algorithm: signed with the server's RSA key, which PS256 could use as well. */
  async function pss(): Promise<string> {
    const jwk = openJson(await sealedKey(), [server.context.keys.current['signing-key']])
    return forged(await importJWK(jwk as JWK, 'PS256'), { alg: 'PS256' })
  }

  async function otherKid(): Promise<string> {
    const { kid } = await server.context.keyring.signer('ES256')
    return forged((await server.context.keyring.signer('RS256')).privateKey, { kid })
  }
})

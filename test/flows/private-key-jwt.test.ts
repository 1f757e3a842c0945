import * as oauth from 'oauth4webapi'
import { describe, expect, test } from 'vitest'
import { type ClientKey, clientKeys } from '../../src/partners/client-keys.ts'
import { replacePartnerKeys } from '../../src/partners/partners.ts'
import { newToken } from '../../src/secrets/token-format.ts'
import {
  assertionOf,
  assertionParameters,
  clientBy,
  newSigningPair,
  type SigningPair,
} from '../support/client-assertion.ts'
import { codeFor, issued } from '../support/connection.ts'
import { countingDatabase } from '../support/counting-database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import type { TokenAnswer } from '../support/journey.ts'
import type { TestServer } from '../support/server.ts'
import { credentials, expectError, postForm } from '../support/token-endpoint.ts'

const database = await databaseFixture(countingDatabase)
const server = await serverFixture({ on: database })
const elsewhere = await serverFixture({ on: database })
const pair = await newSigningPair()
const partner = await server.partner({ authMethods: ['private_key_jwt'], jwks: pair.jwk })
await seed(database.direct, { users: ['ada'] })

/** `invalid_grant` is what only a client that authenticated is told of this token. */
const unknownToken = { grant_type: 'refresh_token', refresh_token: newToken('sandbox', 'rt').text }

async function asks(
  by: SigningPair,
  { at = server, of = partner.clientId, ...changes }: Parameters<typeof assertionOf>[3] & Of = {},
): Promise<TokenAnswer> {
  const assertion = await assertionOf(at, of, by, changes)
  return postForm(at, { ...unknownToken, ...assertionParameters(assertion) })
}
type Of = { at?: TestServer; of?: string }

function authenticated(answer: TokenAnswer): void {
  expectError(answer, 400, 'invalid_grant', /^Unknown or expired refresh token/)
}

function invalidClientMessage(answer: TokenAnswer): void {
  expectError(answer, 401, 'invalid_client', /^Invalid client credentials\.$/)
}

describe('an assertion', () => {
  test.each(['RS256', 'PS256', 'ES256'])('signed by %s is accepted', async (alg) => {
    const key = await newSigningPair(alg)
    const { clientId } = await server.partner({ authMethods: ['private_key_jwt'], jwks: key.jwk })
    authenticated(await asks(key, { of: clientId }))
  })

  test('may be for the issuer, the token endpoint, or the endpoint that is called, among others', async () => {
    const { authUrl, baseUrl } = server
    for (const aud of [authUrl, `${baseUrl}oauth2/token`, ['https://other.example', authUrl]]) {
      authenticated(await asks(pair, { claims: { aud } }))
    }
    const revoking = async (aud: string) => {
      const assertion = await assertionOf(server, partner.clientId, pair, { claims: { aud } })
      return postForm(server, { token: 'x', ...assertionParameters(assertion) }, {}, 'revoke')
    }
    for (const name of ['token', 'revoke']) {
      expect((await revoking(`${baseUrl}oauth2/${name}`)).status).toBe(200)
    }
    const other = await revoking(`${baseUrl}oauth2/introspect`)
    expectError(other, 401, 'invalid_client', /aud must be http/)
  })

  test('goes without a kid where the partner has several keys', async () => {
    const pairs = [await newSigningPair('RS256'), await newSigningPair(), await newSigningPair()]
    const jwks = { keys: pairs.map(({ jwk }) => jwk) }
    const { clientId } = await server.partner({ authMethods: ['private_key_jwt'], jwks })
    for (const key of pairs) authenticated(await asks(key, { of: clientId, withoutKid: true }))
  })

  test('is what an independent client makes, too', async () => {
    const as: oauth.AuthorizationServer = {
      issuer: server.authUrl,
      token_endpoint: `${server.baseUrl}oauth2/token`,
      introspection_endpoint: `${server.baseUrl}oauth2/introspect`,
    }
    const client = { client_id: partner.clientId }
    const auth = oauth.PrivateKeyJwt({ key: pair.privateKey, kid: pair.kid })
    const options = { [oauth.allowInsecureRequests]: true }
    const code = await codeFor(server, partner, 'ada')
    const first = issued(
      await postForm(server, {
        grant_type: 'authorization_code',
        code,
        ...assertionParameters(await assertionOf(server, partner.clientId, pair)),
      }),
    )
    const refreshed = await oauth.refreshTokenGrantRequest(as, client, auth, first.refreshToken, options)
    const tokens = await oauth.processRefreshTokenResponse(as, client, refreshed)
    const asked = await oauth.introspectionRequest(as, client, auth, tokens.access_token, options)
    expect(await oauth.processIntrospectionResponse(as, client, asked)).toMatchObject({
      active: true,
      client_id: partner.clientId,
    })
  })
})

describe('a partner that has both, a secret and a key', () => {
  test('uses either', async () => {
    const both = await server.partner({
      authMethods: ['client_secret_post', 'private_key_jwt'],
      jwks: { keys: [pair.jwk] },
    })
    authenticated(await asks(pair, { of: both.clientId }))
    authenticated(await postForm(server, { ...unknownToken, ...credentials(both) }))
  })
})

describe('keys that are replaced', () => {
  test('count from the next request on, on every server, and the old ones do not', async () => {
    const [first, second] = [await newSigningPair(), await newSigningPair()]
    const { clientId: of } = await server.partner({ authMethods: ['private_key_jwt'], jwks: first.jwk })
    for (const at of [server, elsewhere]) authenticated(await asks(first, { of, at }))
    await replacePartnerKeys(database.direct, of, JSON.stringify(second.jwk))
    for (const at of [server, elsewhere]) {
      invalidClientMessage(await asks(first, { of, at }))
      authenticated(await asks(second, { of, at }))
      invalidClientMessage(await asks(first, { of, at }))
    }
  })

  test('under the kid of the old one, too', async () => {
    const [first, second] = [await newSigningPair('ES256', 'same'), await newSigningPair('ES256', 'same')]
    const { clientId: of } = await server.partner({ authMethods: ['private_key_jwt'], jwks: first.jwk })
    authenticated(await asks(first, { of }))
    await replacePartnerKeys(database.direct, of, JSON.stringify(second.jwk))
    authenticated(await asks(second, { of }))
    invalidClientMessage(await asks(first, { of }))
  })

  test('all who come at once with the new key are let in, on one look at the database', async () => {
    const [first, second] = [await newSigningPair(), await newSigningPair()]
    const { clientId: of } = await server.partner({ authMethods: ['private_key_jwt'], jwks: first.jwk })
    authenticated(await asks(first, { of }))
    await replacePartnerKeys(database.direct, of, JSON.stringify(second.jwk))
    const answers: TokenAnswer[] = []
    const spent = await database.statementsDuring(async () => {
      answers.push(...(await Promise.all(Array.from({ length: 10 }, () => asks(second, { of })))))
    })
    answers.forEach(authenticated)
    expect(spent).toBe(1 + 10)
  })
})

describe('the keys are looked up', () => {
  test('once for two who find at the same moment that none of the kept ones fits', async () => {
    const [first, second] = [await newSigningPair(), await newSigningPair()]
    const { clientId: of } = await server.partner({ authMethods: ['private_key_jwt'], jwks: first.jwk })
    const keys = clientKeys(database.database)
    const looks = () => keys(of, new Date())[Symbol.asyncIterator]()
    const kids = async (look: AsyncIterator<ClientKey[], void>) =>
      (await look.next()).value?.map(({ jwk }) => jwk.kid)
    expect(await kids(looks())).toEqual([first.kid])
    const two = [looks(), looks()]
    expect(await Promise.all(two.map(kids))).toEqual([[first.kid], [first.kid]])
    await replacePartnerKeys(database.direct, of, JSON.stringify(second.jwk))
    const spent = await database.statementsDuring(async () => {
      expect(await Promise.all(two.map(kids))).toEqual([[second.kid], [second.kid]])
    })
    expect(spent).toBe(1)
  })

  test('once in five seconds at most for assertions that none of them verifies', async () => {
    const stranger = await newSigningPair()
    const { partner: known } = await clientBy('private_key_jwt', server)
    const guess = async () => invalidClientMessage(await asks(stranger, { of: known.clientId }))
    const rounds = (n: number) => async () => {
      for (let round = 0; round < n; round++) await guess()
    }
    server.stopClock()
    expect(await database.statementsDuring(rounds(10))).toBe(2) // the first look, and a second after it did not fit
    expect(await database.statementsDuring(rounds(10))).toBe(0)
    server.advanceClock(6)
    expect(await database.statementsDuring(rounds(10))).toBe(1)
  })

  test('again although the clock was set back meanwhile', async () => {
    const stranger = await newSigningPair()
    const { partner: known } = await clientBy('private_key_jwt', server)
    const guess = async () => invalidClientMessage(await asks(stranger, { of: known.clientId }))
    await guess()
    await guess()
    server.advanceClock(-3600)
    expect(await database.statementsDuring(guess)).toBe(1)
    server.advanceClock(3600)
  })

  test('and those of a thousand invented clients push nobody out', async () => {
    const keys = clientKeys(database.database)
    const { partner: known } = await clientBy('private_key_jwt', server)
    const look = async (clientId: string) =>
      (await keys(clientId, new Date())[Symbol.asyncIterator]().next()).value
    expect(await look(known.clientId)).toHaveLength(1)
    for (let i = 0; i < 1001; i++) expect(await look(`test_${String(i).padStart(22, '0')}`)).toEqual([])
    const again = async () => expect(await look(known.clientId)).toHaveLength(1)
    expect(await database.statementsDuring(again)).toBe(0)
  })

  test('never for what has not the form of a client_id', async () => {
    const guess = async () => {
      for (const of of ['nobody', 'test_', `test_${'x'.repeat(5000)}`, 'a\0b', '']) {
        invalidClientMessage(await asks(pair, { of }))
      }
    }
    expect(await database.statementsDuring(guess)).toBe(0)
  })
})

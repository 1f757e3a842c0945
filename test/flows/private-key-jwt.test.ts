import * as oauth from 'oauth4webapi'
import { describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { type ClientKey, clientKeys } from '../../src/partners/client-keys.ts'
import { replacePartnerKeys } from '../../src/partners/partners.ts'
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
import { neverIssued } from '../support/never-issued.ts'
import type { TestServer } from '../support/server.ts'
import { credentials, expectError, postForm } from '../support/token-endpoint.ts'

const database = await databaseFixture(countingDatabase)
const server = await serverFixture({ on: database })
const elsewhere = await serverFixture({ on: database })
const pair = await newSigningPair()
const partner = await server.partner({ authMethods: ['private_key_jwt'], jwks: pair.jwk })
await seed(database.direct, { users: ['ada'] })

/** Only an authenticated client gets `invalid_grant` for this token. */
const unknownToken = { grant_type: 'refresh_token', refresh_token: neverIssued('rt') }

async function sendAssertion(
  by: SigningPair,
  { at = server, of = partner.clientId, ...changes }: Parameters<typeof assertionOf>[3] & Of = {},
): Promise<TokenAnswer> {
  const assertion = await assertionOf(at, of, by, changes)
  return postForm(at, { ...unknownToken, ...assertionParameters(assertion) })
}
type Of = { at?: TestServer; of?: string }

function expectAuthenticated(answer: TokenAnswer): void {
  expectError(answer, 400, 'invalid_grant', /^Unknown or expired refresh token/)
}

function expectInvalidClient(answer: TokenAnswer): void {
  expectError(answer, 401, 'invalid_client', /^Invalid client credentials\.$/)
}

describe('an assertion', () => {
  test.each(['RS256', 'PS256', 'ES256'])('signed by %s is accepted', async (alg) => {
    const key = await newSigningPair(alg)
    const { clientId } = await server.partner({ authMethods: ['private_key_jwt'], jwks: key.jwk })
    expectAuthenticated(await sendAssertion(key, { of: clientId }))
  })

  test('may have the issuer, the token endpoint or the called endpoint as audience, also in a list', async () => {
    const { authUrl, baseUrl } = server
    for (const aud of [authUrl, `${baseUrl}oauth2/token`, ['https://other.example', authUrl]]) {
      expectAuthenticated(await sendAssertion(pair, { claims: { aud } }))
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

  test('does not need a kid, even if the partner has several keys', async () => {
    const pairs = [await newSigningPair('RS256'), await newSigningPair(), await newSigningPair()]
    const jwks = { keys: pairs.map(({ jwk }) => jwk) }
    const { clientId } = await server.partner({ authMethods: ['private_key_jwt'], jwks })
    for (const key of pairs) expectAuthenticated(await sendAssertion(key, { of: clientId, withoutKid: true }))
  })

  test('of an independent client library is accepted', async () => {
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
    const introspected = await oauth.introspectionRequest(as, client, auth, tokens.access_token, options)
    expect(await oauth.processIntrospectionResponse(as, client, introspected)).toMatchObject({
      active: true,
      client_id: partner.clientId,
    })
  })
})

describe('a partner with both a secret and a key', () => {
  test('can authenticate with either', async () => {
    const both = await server.partner({
      authMethods: ['client_secret_post', 'private_key_jwt'],
      jwks: { keys: [pair.jwk] },
    })
    expectAuthenticated(await sendAssertion(pair, { of: both.clientId }))
    expectAuthenticated(await postForm(server, { ...unknownToken, ...credentials(both) }))
  })
})

describe('replacement keys', () => {
  test('are accepted by every server from the next request on, and the old keys are refused', async () => {
    const [first, second] = [await newSigningPair(), await newSigningPair()]
    const { clientId: of } = await server.partner({ authMethods: ['private_key_jwt'], jwks: first.jwk })
    for (const at of [server, elsewhere]) expectAuthenticated(await sendAssertion(first, { of, at }))
    await replacePartnerKeys(database.direct, systemOrigin, of, JSON.stringify(second.jwk))
    for (const at of [server, elsewhere]) {
      expectInvalidClient(await sendAssertion(first, { of, at }))
      expectAuthenticated(await sendAssertion(second, { of, at }))
      expectInvalidClient(await sendAssertion(first, { of, at }))
    }
  })

  test('are accepted even if they have the kid of the old key', async () => {
    const [first, second] = [await newSigningPair('ES256', 'same'), await newSigningPair('ES256', 'same')]
    const { clientId: of } = await server.partner({ authMethods: ['private_key_jwt'], jwks: first.jwk })
    expectAuthenticated(await sendAssertion(first, { of }))
    await replacePartnerKeys(database.direct, systemOrigin, of, JSON.stringify(second.jwk))
    expectAuthenticated(await sendAssertion(second, { of }))
    expectInvalidClient(await sendAssertion(first, { of }))
  })

  test('are accepted in concurrent requests after a single key lookup', async () => {
    const [first, second] = [await newSigningPair(), await newSigningPair()]
    const { clientId: of } = await server.partner({ authMethods: ['private_key_jwt'], jwks: first.jwk })
    expectAuthenticated(await sendAssertion(first, { of }))
    await replacePartnerKeys(database.direct, systemOrigin, of, JSON.stringify(second.jwk))
    const answers: TokenAnswer[] = []
    const spent = await database.statementsDuring(async () => {
      answers.push(...(await Promise.all(Array.from({ length: 10 }, () => sendAssertion(second, { of })))))
    })
    answers.forEach(expectAuthenticated)
    // Each request has a statement that authenticates the client and one that says why the token is refused.
    expect(spent).toBe(1 + 2 * 10)
  })
})

describe('the keys are looked up', () => {
  test('once for two concurrent assertions that no cached key verifies', async () => {
    const [first, second] = [await newSigningPair(), await newSigningPair()]
    const { clientId: of } = await server.partner({ authMethods: ['private_key_jwt'], jwks: first.jwk })
    const keys = clientKeys(database.database)
    const looks = () => keys(of, new Date())[Symbol.asyncIterator]()
    const kids = async (look: AsyncIterator<ClientKey[], void>) =>
      (await look.next()).value?.map(({ jwk }) => jwk.kid)
    expect(await kids(looks())).toEqual([first.kid])
    const two = [looks(), looks()]
    expect(await Promise.all(two.map(kids))).toEqual([[first.kid], [first.kid]])
    await replacePartnerKeys(database.direct, systemOrigin, of, JSON.stringify(second.jwk))
    const spent = await database.statementsDuring(async () => {
      expect(await Promise.all(two.map(kids))).toEqual([[second.kid], [second.kid]])
    })
    expect(spent).toBe(1)
  })

  test('at most once in five seconds for assertions that no key verifies', async () => {
    const unregistered = await newSigningPair()
    const { partner: known } = await clientBy('private_key_jwt', server)
    const attempt = async () => expectInvalidClient(await sendAssertion(unregistered, { of: known.clientId }))
    const rounds = (n: number) => async () => {
      for (let round = 0; round < n; round++) await attempt()
    }
    server.stopClock()
    // The first lookup, and a second one because no key verified the assertion.
    expect(await database.statementsDuring(rounds(10))).toBe(2)
    expect(await database.statementsDuring(rounds(10))).toBe(0)
    server.advanceClock(6)
    expect(await database.statementsDuring(rounds(10))).toBe(1)
  })

  test('again even if the clock was set back in the meantime', async () => {
    const unregistered = await newSigningPair()
    const { partner: known } = await clientBy('private_key_jwt', server)
    const attempt = async () => expectInvalidClient(await sendAssertion(unregistered, { of: known.clientId }))
    await attempt()
    await attempt()
    server.advanceClock(-3600)
    expect(await database.statementsDuring(attempt)).toBe(1)
    server.advanceClock(3600)
  })

  test('without evicting the keys of a known client for a thousand invented clients', async () => {
    const keys = clientKeys(database.database)
    const { partner: known } = await clientBy('private_key_jwt', server)
    const look = async (clientId: string) =>
      (await keys(clientId, new Date())[Symbol.asyncIterator]().next()).value
    expect(await look(known.clientId)).toHaveLength(1)
    for (let i = 0; i < 1001; i++) expect(await look(`test_${String(i).padStart(22, '0')}`)).toEqual([])
    const again = async () => expect(await look(known.clientId)).toHaveLength(1)
    expect(await database.statementsDuring(again)).toBe(0)
  })

  test('never for text that cannot be a client_id', async () => {
    const attempt = async () => {
      for (const of of [`test_${'x'.repeat(5000)}`, 'a\0b', '']) {
        expectInvalidClient(await sendAssertion(pair, { of }))
      }
    }
    expect(await database.statementsDuring(attempt)).toBe(0)
  })
})

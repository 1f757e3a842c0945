import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import {
  accessTokenText,
  parseAccessToken,
  parseRefreshToken,
  refreshTokenText,
} from '../../src/secrets/connection-token.ts'
import { type DerivedKeys, deriveKeys } from '../../src/secrets/derived-keys.ts'
import { verifyAccessToken } from '../../src/secrets/verified-tokens.ts'
import { connectionOf, type Issued, issued, tokensFor } from '../support/connection.ts'
import { countingDatabase } from '../support/counting-database.ts'
import { query } from '../support/database.ts'
import { movableClock } from '../support/database-clock.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { addedTo, forged, signedAgain } from '../support/forged-token.ts'
import { type ApiAnswer, api, refresh, token } from '../support/journey.ts'
import { logLines } from '../support/logs.ts'
import { neverIssued } from '../support/never-issued.ts'
import { testKeys, testSecret } from '../support/server.ts'
import { expectInvalidGrant } from '../support/token-endpoint.ts'

const hour = 3600

const database = await databaseFixture(countingDatabase)
const clock = await movableClock(database)
const server = await serverFixture({ on: database, clock })
await seed(database.direct, { users: ['ada'], households: ['h1'] })
const partner = await server.partner()
const other = await server.partner({ name: 'Other Partner' })

const keys = testKeys('sandbox').current
afterEach(() => server.passTime(-clock.ahead))
const anotherSecret = 'the secret of another deployment, of 32 bytes'

const newTokens = () => tokensFor(server, partner, 'ada')
const statusOf = async (accessToken: string) => (await api(server, 'households', accessToken)).status
const loggedReason = ({ headers }: { headers: Headers }) =>
  logLines(server, headers.get('x-api-request-id') ?? '').find(({ outcome }) => outcome)?.outcome

/** The whole row of a token's connection. */
async function rowOf(refreshToken: string): Promise<unknown> {
  const parsed = parseRefreshToken(refreshToken, 'sandbox', testKeys('sandbox'))
  if (parsed.kind === 'refused') throw new Error(parsed.reason)
  return query(database.direct, 'SELECT * FROM connections WHERE refresh_locator_hash = sha256($1)', [
    parsed.token.locator,
  ])
}

/** The token with the same content, signed with other keys. */
function withKeys({ accessToken, refreshToken }: Issued, others: DerivedKeys): Issued {
  const [access, refreshing] = [
    parseAccessToken(accessToken, 'sandbox', testKeys('sandbox')),
    parseRefreshToken(refreshToken, 'sandbox', testKeys('sandbox')),
  ]
  if (access.kind === 'refused' || refreshing.kind === 'refused') throw new Error('not a token')
  return {
    accessToken: accessTokenText('sandbox', others, access.token),
    refreshToken: refreshTokenText('sandbox', others, refreshing.token),
    idToken: '',
  }
}

const each = (tokens: Issued, change: (text: string) => string): Issued => ({
  accessToken: change(tokens.accessToken),
  refreshToken: change(tokens.refreshToken),
  idToken: '',
})

type Forgery = [what: string, reason: 'forged' | 'unknown_key', forge: (genuine: Issued) => Issued]

/** All have a right checksum. */
const forgeries: Forgery[] = [
  [
    'a MAC that is wrong in one bit',
    'forged',
    (own) => each(own, (text) => forged(text, ({ mac }) => ({ mac: addedTo(mac, 3, 1) }))),
  ],
  [
    'the MAC of another token',
    'forged',
    (own) => each(own, (text) => forged(text, () => ({ mac: neverIssued('at').slice(-30, -6) }))),
  ],
  [
    'the MAC of the key for the other kind',
    'forged',
    (own) =>
      withKeys(own, {
        ...keys,
        'access-token': keys['refresh-token'],
        'refresh-token': keys['access-token'],
      }),
  ],
  [
    'the parts of a token of the other kind',
    'forged',
    ({ accessToken, refreshToken }) => ({
      accessToken: forged(refreshToken, () => ({ kind: 'at' })),
      refreshToken: forged(accessToken, () => ({ kind: 'rt' })),
      idToken: '',
    }),
  ],
  [
    'the MAC of the same secret in the other environment',
    'forged',
    (own) => withKeys(own, deriveKeys(testSecret, 'production')),
  ],
  [
    'the parts of a token of the other environment',
    'forged',
    () => ({
      accessToken: forged(neverIssued('at', 'production'), () => ({ environment: 'sandbox' })),
      refreshToken: forged(neverIssued('rt', 'production'), () => ({ environment: 'sandbox' })),
      idToken: '',
    }),
  ],
  [
    'the key of another deployment',
    'unknown_key',
    (own) => withKeys(own, deriveKeys(anotherSecret, 'sandbox')),
  ],
  [
    'the key of another deployment, under the id of ours',
    'forged',
    (own) => withKeys(own, { ...deriveKeys(anotherSecret, 'sandbox'), id: keys.id }),
  ],
  ['another key id', 'unknown_key', (own) => each(own, (text) => forged(text, () => ({ keyId: '000' })))],
  [
    'another version, and the right MAC',
    'forged',
    (own) => each(own, (text) => signedAgain(text, () => ({ version: '2' }))),
  ],
  [
    'a payload in other digits of the same value, and the right MAC',
    'forged',
    (own) =>
      each(own, (text) => signedAgain(text, ({ payload }) => ({ payload: addedTo(payload, 0, 2 ** 32) }))),
  ],
  [
    'the MAC in other digits of the same value',
    'forged',
    (own) => each(own, (text) => forged(text, ({ mac }) => ({ mac: addedTo(mac, 0, 2 ** 32) }))),
  ],
]

test('61: each kind of token is signed with the key of its kind and environment', async () => {
  for (const genuine of [
    await newTokens(),
    {
      accessToken: neverIssued('at', 'production'),
      refreshToken: neverIssued('rt', 'production'),
      idToken: '',
    },
  ]) {
    expect(each(genuine, (text) => signedAgain(text, () => ({})))).toEqual({ ...genuine, idToken: '' })
  }
})

describe.each(forgeries)('61: a token with %s', (_what, reason, forge) => {
  test('is refused at the API without a statement', async () => {
    const { accessToken } = forge(await newTokens())
    const answers: ApiAnswer[] = []
    const spent = await database.statementsDuring(async () => {
      answers.push(await api(server, 'households', accessToken))
    })
    expect(spent).toBe(0)
    const [answer = expect.fail()] = answers
    expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
    expect(loggedReason(answer)).toBe(reason)
  })

  test('is refused at the token endpoint after client authentication, and changes nothing', async () => {
    const own = await newTokens()
    const before = await rowOf(own.refreshToken)
    const { accessToken, refreshToken } = forge(own)
    const wrongSecret = { ...partner, clientSecret: neverIssued('cs') }
    const answer = await refresh(server, partner, refreshToken)
    expectInvalidGrant(answer, /^Invalid refresh token\./)
    expect(loggedReason(answer)).toBe(`refresh_token_${reason}`)
    expect(await refresh(server, wrongSecret, refreshToken)).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    })
    for (const text of [accessToken, refreshToken]) {
      const ask = (by: typeof partner, endpoint: 'introspect' | 'revoke') =>
        token(server, by, { token: text }, endpoint)
      expect((await ask(wrongSecret, 'introspect')).status).toBe(401)
      expect((await ask(wrongSecret, 'revoke')).status).toBe(401)
      expect((await ask(partner, 'introspect')).body).toEqual({ active: false })
      expect(await ask(partner, 'revoke')).toMatchObject({ status: 200, body: {} })
    }
    expect(await rowOf(own.refreshToken)).toEqual(before)
  })
})

describe('61: any change of a token with a checksum computed again', () => {
  const accepted = testKeys('sandbox')
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((each) => Buffer.from(each))

  test('of the payload, the MAC, the key id or the version is refused', () => {
    fc.assert(
      fc.property(
        bytes,
        fc.nat(16),
        fc.integer({ min: 1, max: 2 ** 32 - 1 }),
        fc.constantFrom('payload', 'mac', 'keyId', 'version'),
        (content, place, difference, part) => {
          const [locator, nonce] = [content.subarray(0, 16), content.subarray(16, 24)]
          const [expiresAt, generation] = [content.readUInt32BE(24), content.readUInt32BE(28)]
          const access = accessTokenText('sandbox', keys, { locator, nonce, expiresAt })
          const refreshing = refreshTokenText('sandbox', keys, { locator, generation, expiresAt })
          expect(parseAccessToken(access, 'sandbox', accepted).kind).toBe('ok')
          const verified = verifyAccessToken(access, 'sandbox', accepted)
          const token = { nonce, expiresAt: new Date(expiresAt * 1000) }
          expect(verified).toMatchObject({ kind: 'ok', token })
          // The second time the result is remembered.
          expect(verifyAccessToken(access, 'sandbox', accepted)).toEqual(verified)
          expect(verifyAccessToken(access, 'production', accepted).kind).toBe('refused')
          expect(parseRefreshToken(refreshing, 'sandbox', accepted).kind).toBe('ok')
          const change = (text: string) =>
            forged(text, (parts) => {
              if (part === 'payload') return { payload: addedTo(parts.payload, place % 7, difference) }
              if (part === 'mac') return { mac: addedTo(parts.mac, place % 4, difference) }
              if (part === 'version') return { version: 'Aa0'.charAt(place % 3) }
              return { keyId: parts.keyId === 'abc' ? 'abd' : 'abc' }
            })
          expect(verifyAccessToken(change(access), 'sandbox', accepted).kind).toBe('refused')
          expect(parseRefreshToken(change(refreshing), 'sandbox', accepted).kind).toBe('refused')
        },
      ),
      { numRuns: 1000 },
    )
  })
})

// test/long/forged-tokens.test.ts sends 100,000.
test('61: 300 forged tokens cause no statement', async () => {
  const { accessToken } = await newTokens()
  const spent = await database.statementsDuring(async () => {
    for (let n = 1; n <= 300; n++) {
      const text = forged(accessToken, ({ mac }) => ({ mac: addedTo(mac, n % 4, n) }))
      expect(await statusOf(text)).toBe(401)
    }
  })
  expect(spent).toBe(0)
  expect(await statusOf(accessToken)).toBe(200)
})

describe('61: a genuine MAC alone', () => {
  test('with a guessed locator: the token is unknown, and nothing changes', async () => {
    const own = await newTokens()
    const before = await query(database.direct, 'SELECT * FROM connections ORDER BY id')
    expect(await api(server, 'households', neverIssued('at'))).toMatchObject({
      status: 401,
      body: { detail: expect.stringMatching(/^Unknown or expired access token/) },
    })
    const guessed = neverIssued('rt')
    expectInvalidGrant(await refresh(server, partner, guessed), /^Unknown or expired refresh token/)
    for (const text of [neverIssued('at'), guessed]) {
      expect((await token(server, partner, { token: text }, 'introspect')).body).toEqual({ active: false })
      expect((await token(server, partner, { token: text }, 'revoke')).status).toBe(200)
    }
    expect(await query(database.direct, 'SELECT * FROM connections ORDER BY id')).toEqual(before)
    expect(await statusOf(own.accessToken)).toBe(200)
  })

  test('any generation of another client’s connection changes nothing', async () => {
    const own = await newTokens()
    const parsed = parseRefreshToken(own.refreshToken, 'sandbox', testKeys('sandbox'))
    if (parsed.kind === 'refused') throw new Error(parsed.reason)
    issued(await refresh(server, partner, own.refreshToken))
    await server.passTime(hour)
    const before = await rowOf(own.refreshToken)
    for (const generation of [0, 1, 2, 3, 500]) {
      const text = refreshTokenText('sandbox', keys, { ...parsed.token, generation })
      expectInvalidGrant(await refresh(server, other, text), /or it was issued to another client\.$/)
      expect((await token(server, other, { token: text }, 'introspect')).body).toEqual({ active: false })
      expect((await token(server, other, { token: text }, 'revoke')).status).toBe(200)
    }
    expect((await token(server, other, { token: own.accessToken }, 'revoke')).status).toBe(200)
    expect(await rowOf(own.refreshToken)).toEqual(before)
    expect(await connectionOf(server, own.refreshToken)).toMatchObject({ revoked: false, generation: 2 })
  })

  test('a generation that was never issued is refused, and changes nothing', async () => {
    const own = await newTokens()
    const before = await rowOf(own.refreshToken)
    const parsed = parseRefreshToken(own.refreshToken, 'sandbox', testKeys('sandbox'))
    if (parsed.kind === 'refused') throw new Error(parsed.reason)
    for (const generation of [2, 3, 1000, 2 ** 31, 2 ** 32 - 1]) {
      const text = refreshTokenText('sandbox', keys, { ...parsed.token, generation })
      const answer = await refresh(server, partner, text)
      expectInvalidGrant(answer, /./)
      expect(loggedReason(answer)).toBe('refresh_token_ahead')
      expect((await token(server, partner, { token: text }, 'introspect')).body).toEqual({ active: false })
    }
    expect(await rowOf(own.refreshToken)).toEqual(before)
  })
})

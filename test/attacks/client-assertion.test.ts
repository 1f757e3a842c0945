import { createHmac, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newClientId } from '../../src/partners/client-id.ts'
import { assertionOf, assertionParameters, newSigningPair } from '../support/client-assertion.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import type { TokenAnswer } from '../support/journey.ts'
import { logLines } from '../support/logs.ts'
import { neverIssued } from '../support/never-issued.ts'
import type { TestPartner } from '../support/server.ts'
import { basic, credentials, expectError, postForm } from '../support/token-endpoint.ts'

const server = await serverFixture()
const pair = await newSigningPair()
const partner = await server.partner({ authMethods: ['private_key_jwt'], jwks: pair.jwk })
const secretive = await server.partner({ name: 'With a secret' })

/** Only an authenticated client gets `invalid_grant` for this token. */
const unknownToken = { grant_type: 'refresh_token', refresh_token: neverIssued('rt') }

function post(more: Record<string, string>, headers: Record<string, string> = {}): Promise<TokenAnswer> {
  return postForm(server, { ...unknownToken, ...more }, headers)
}

async function assertion(claims: Record<string, unknown> = {}, by = pair): Promise<string> {
  return assertionOf(server, partner.clientId, by, { claims })
}

const reasonOf = ({ headers }: TokenAnswer) =>
  logLines(server, headers.get('x-api-request-id') ?? '').find(({ event }) => event === 'token')?.outcome

describe('22: client authentication by assertion', () => {
  test('together with another method: invalid_request, whether valid or not', async () => {
    const own = assertionParameters(await assertion())
    const secret = neverIssued('cs')
    for (const answer of [
      await post(own, basic(partner.clientId, secret)),
      await post(own, basic(secretive.clientId, secretive.clientSecret)),
      await post({ ...own, client_secret: secret }),
      await post({ ...own, ...credentials(secretive) }),
      await post({ ...assertionParameters('x'), ...credentials(secretive) }),
    ]) {
      expectError(answer, 400, 'invalid_request', /authenticated twice/)
    }
    expectError(await post(own), 400, 'invalid_grant', /^Unknown or expired/) // the assertion was not used up
  })

  test('client_id is optional, and must match', async () => {
    const own = async (clientId: string) =>
      post({ ...assertionParameters(await assertion()), client_id: clientId })
    expectError(await own(partner.clientId), 400, 'invalid_grant', /^Unknown or expired/)
    expectError(await own(''), 400, 'invalid_grant', /^Unknown or expired/)
    expectError(
      await own(secretive.clientId),
      400,
      'invalid_request',
      /client_id in the request body differs/,
    )
  })

  test.each<[string, Record<string, string>, number, string, RegExp]>([
    ['no type', { client_assertion_type: '' }, 400, 'invalid_request', /client_assertion_type is missing/],
    ['no assertion', { client_assertion: '' }, 400, 'invalid_request', /client_assertion is missing/],
    [
      'another type',
      { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' },
      401,
      'invalid_client',
      /must be urn:ietf:params:oauth:client-assertion-type:jwt-bearer/,
    ],
    [
      'the type in another case',
      { client_assertion_type: 'URN:ietf:params:oauth:client-assertion-type:jwt-bearer' },
      401,
      'invalid_client',
      /client_assertion_type must be/,
    ],
  ])('%s: %j', async (_what, change, status, error, description) => {
    const own = assertionParameters(await assertion())
    expectError(await post({ ...own, ...change }), status, error, description)
  })

  test('in the query: refused, with advice', async () => {
    const url = `${server.baseUrl}oauth2/token?client_assertion=${await assertion()}`
    const response = await fetch(url, { method: 'POST', body: new URLSearchParams(unknownToken) })
    const { error_description: description } = (await response.json()) as Record<string, unknown>
    expect({ status: response.status, description }).toEqual({
      status: 400,
      description: expect.stringContaining('client_assertion was sent in the query string'),
    })
  })

  const now = () => Math.floor(Date.now() / 1000)
  test.each<[string, () => Record<string, unknown>, RegExp]>([
    ['another iss', () => ({ iss: secretive.clientId }), /iss and sub must both be/],
    ['no iss', () => ({ iss: undefined }), /iss and sub must both be/],
    ['another aud', () => ({ aud: 'https://other.example' }), /aud must be http/],
    ['aud with a trailing slash', () => ({ aud: `${server.authUrl}/` }), /aud must be http/],
    ['an empty aud', () => ({ aud: [] }), /aud must be http/],
    ['an aud of objects', () => ({ aud: [{ toString: server.authUrl }] }), /aud must be http/],
    ['no aud', () => ({ aud: undefined }), /aud must be http/],
    ['no exp', () => ({ exp: undefined }), /exp must be a time in the next 3600 seconds/],
    ['exp as text', () => ({ exp: String(now() + 60) }), /exp must be/],
    ['exp a minute ago', () => ({ exp: now() - 60 }), /exp must be/],
    ['exp in more than an hour', () => ({ exp: now() + 3700 }), /exp must be/],
    ['exp far beyond any date', () => ({ exp: 1e300 }), /exp must be/],
    ['nbf in a minute', () => ({ nbf: now() + 60 }), /nbf must be a number/],
    ['iat in a minute', () => ({ iat: now() + 60 }), /iat must be a number/],
    ['iat as text', () => ({ iat: 'now' }), /iat must be/],
    ['no jti', () => ({ jti: undefined }), /jti must be text of 1 to 256/],
    ['an empty jti', () => ({ jti: '' }), /jti must be/],
    ['a jti of 257 characters', () => ({ jti: 'x'.repeat(257) }), /jti must be/],
    ['a number as jti', () => ({ jti: 7 }), /jti must be/],
  ])('%s: reported only to a client that holds the key', async (_what, change, description) => {
    const right = await post(assertionParameters(await assertion(change())))
    expectError(right, 401, 'invalid_client', description)
    const stranger = await newSigningPair(pair.alg, pair.kid)
    const wrong = await post(assertionParameters(await assertion(change(), stranger)))
    expectError(wrong, 401, 'invalid_client', /^Invalid client credentials\.$/)
    expect(reasonOf(wrong)).toBe('assertion_unverified')
    expect(reasonOf(right)).toMatch(/^assertion_(iss|aud|exp|nbf|iat|jti)$/)
  })

  test('clocks may differ by half a minute; a jti may contain any characters', async () => {
    for (const claims of [
      { exp: now() - 20 },
      { exp: now() + 3600 },
      { iat: now() + 20, nbf: now() + 20 },
      { jti: 'x'.repeat(256) },
      { jti: '\0 %zz "é"' },
    ]) {
      const answer = await post(assertionParameters(await assertion(claims)))
      expectError(answer, 400, 'invalid_grant', /^Unknown or expired/)
    }
  })
})

describe('forged assertions', () => {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const claims = () => ({
    iss: partner.clientId,
    sub: partner.clientId,
    aud: server.authUrl,
    exp: Math.floor(Date.now() / 1000) + 60,
    jti: randomUUID(),
  })

  test.each<[string, () => Promise<string> | string]>([
    ['alg none', () => `${encode({ alg: 'none' })}.${encode(claims())}.`],
    ['alg of another kind', () => `${encode({ alg: 'constructor' })}.${encode(claims())}.AAAA`],
    [
      'the public key as the secret of an HMAC',
      () => {
        const signed = `${encode({ alg: 'HS256', kid: pair.kid })}.${encode(claims())}`
        const mac = createHmac('sha256', JSON.stringify(pair.jwk)).update(signed)
        return `${signed}.${mac.digest('base64url')}`
      },
    ],
    [
      'its own key in the header',
      () => `${encode({ alg: 'ES256', jwk: pair.jwk })}.${encode(claims())}.AAAA`,
    ],
    [
      'claims changed after signing',
      async () => (await assertion()).replace(/\.[^.]+\./, `.${encode(claims())}.`),
    ],
    ['no signature', async () => (await assertion()).replace(/[^.]+$/, '')],
    ['a signature cut short', async () => (await assertion()).slice(0, -4)],
    [
      'RS256 with an elliptic key',
      async () => (await assertion()).replace(/^[^.]+/, encode({ alg: 'RS256' })),
    ],
    ['a critical header', () => `${encode({ alg: 'ES256', crit: ['x'], x: 1 })}.${encode(claims())}.AAAA`],
    ['five parts', async () => `${await assertion()}.a.b`],
    ['claims that are not an object', () => `${encode({ alg: 'ES256' })}.${encode(['x'])}.AAAA`],
    [
      'sub that is not a string',
      () => `${encode({ alg: 'ES256' })}.${encode({ ...claims(), sub: [1] })}.AAAA`,
    ],
    ['no JWT', () => 'x'],
    ['a secret', () => secretive.clientSecret],
  ])('%s: invalid_client', async (_what, forge) => {
    const forged = await forge()
    const answer = await post(assertionParameters(forged))
    expectError(answer, 401, 'invalid_client', /./)
    expect(JSON.stringify(answer.body)).not.toContain(forged.slice(-20) || '-')
    expect(reasonOf(answer)).toMatch(/^assertion_(malformed|algorithm|unverified)$/)
  })
})

test('12: an unknown client, a wrong key and a client without keys: the same response as for a wrong secret', async () => {
  const stranger = await newSigningPair()
  const by = async (of: string) => post(assertionParameters(await assertionOf(server, of, stranger)))
  const wrongSecret = { ...credentials(secretive), client_secret: neverIssued('cs') }
  const bodies = [
    await by(partner.clientId),
    await by(newClientId('sandbox')),
    await by(secretive.clientId),
    await by('nobody'),
    await post(wrongSecret),
    await post({ ...wrongSecret, client_id: newClientId('sandbox') }),
  ].map(({ status, body: { request_id: _, ...body } }) => ({ status, body }))
  expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1)
  expect(bodies[0]).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
})

test('8: a client of the other environment gets an error that names the environment', async () => {
  const of = newClientId('production')
  const answer = await post(assertionParameters(await assertionOf(server, of, pair)))
  expectError(answer, 401, 'invalid_client', /the client belongs to production\. This server is sandbox\./)
  expect(reasonOf(answer)).toBe('assertion_wrong_environment')
})

describe('a method that is not registered for the partner', () => {
  test('is refused, and only a client with the right secret gets the reason', async () => {
    const inHeader = await server.partner({ authMethods: ['client_secret_basic'] })
    const inBody = await server.partner({ authMethods: ['client_secret_post'] })
    const byBasic = ({ clientId, clientSecret }: TestPartner) => post({}, basic(clientId, clientSecret))
    expectError(await byBasic(inHeader), 400, 'invalid_grant', /^Unknown or expired/)
    expectError(await post(credentials(inBody)), 400, 'invalid_grant', /^Unknown or expired/)

    const wrongWay = await byBasic(inBody)
    expectError(
      wrongWay,
      401,
      'invalid_client',
      /not registered for client_secret_basic\. Send .+ in the request body/,
    )
    expect(reasonOf(wrongWay)).toBe('wrong_method')
    expectError(
      await post(credentials(inHeader)),
      401,
      'invalid_client',
      /not registered for client_secret_post\. Send .+ Authorization header/,
    )
    const wrongSecret = { ...credentials(inHeader), client_secret: neverIssued('cs') }
    expectError(await post(wrongSecret), 401, 'invalid_client', /^Invalid client credentials\.$/)
  })

  test('a key no longer works when its method is removed, and nothing is used up', async () => {
    const key = await newSigningPair()
    const { clientId } = await server.partner({ authMethods: ['private_key_jwt'], jwks: key.jwk })
    await query(
      server.database,
      `UPDATE partners SET auth_methods = '{client_secret_post}' WHERE client_id = $1`,
      [clientId],
    )
    const signed = assertionParameters(await assertionOf(server, clientId, key))
    expectError(await post(signed), 401, 'invalid_client', /not registered for private_key_jwt/)
    await query(
      server.database,
      `UPDATE partners SET auth_methods = '{private_key_jwt}' WHERE client_id = $1`,
      [clientId],
    )
    expectError(await post(signed), 400, 'invalid_grant', /^Unknown or expired/)
  })
})

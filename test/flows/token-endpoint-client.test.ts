import { describe, expect, test } from 'vitest'
import { newToken } from '../../src/secrets/token-format.ts'
import { connectionOf, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import type { TokenAnswer } from '../support/journey.ts'
import { basic, credentials, expectError, postForm } from '../support/token-endpoint.ts'

const server = await serverFixture({ users: ['ada'], households: ['h1'] })
const partner = await server.partner()
const other = await server.partner({ name: 'Other Partner' })

describe('22: client authentication', () => {
  const unknownCode = { grant_type: 'authorization_code', code: newToken('sandbox', 'ac').text }
  /** What only a client that authenticated is told. */
  const authenticated = (answer: TokenAnswer) =>
    expectError(answer, 400, 'invalid_grant', /^Unknown or expired authorization code/)

  test('Basic and client_secret in the body together: invalid_request, right or wrong', async () => {
    const own = basic(partner.clientId, partner.clientSecret)
    const twice = /^The client authenticated twice\./
    for (const more of [
      credentials(partner),
      { client_secret: partner.clientSecret },
      { client_secret: 'wrong' },
      credentials(other),
    ]) {
      expectError(await postForm(server, { ...unknownCode, ...more }, own), 400, 'invalid_request', twice)
    }
  })

  test('Basic and the same client_id in the body: accepted; another client_id: invalid_request', async () => {
    const own = basic(partner.clientId, partner.clientSecret)
    authenticated(await postForm(server, { ...unknownCode, client_id: partner.clientId }, own))
    authenticated(await postForm(server, { ...unknownCode, client_id: '', client_secret: '' }, own))
    expectError(
      await postForm(server, { ...unknownCode, client_id: other.clientId }, own),
      400,
      'invalid_request',
      /^client_id in the request body differs from the client of the Authorization header\.$/,
    )
  })

  test('Basic is form-decoded, once, and after the split at the first colon', async () => {
    const everyCharacter = (text: string) =>
      [...text].map((c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')
    const { clientId, clientSecret } = partner
    authenticated(await postForm(server, unknownCode, basic(clientId, clientSecret)))
    authenticated(
      await postForm(server, unknownCode, basic(everyCharacter(clientId), everyCharacter(clientSecret))),
    )
    const twice = basic(clientId, everyCharacter(everyCharacter(clientSecret)))
    expect((await postForm(server, unknownCode, twice)).status).toBe(401)

    for (const id of ['a:b', 'a+b', 'a b', 'a%b', 'a%2Bb', 'käthe', '客戶']) {
      await insertClient(id)
      const encoded = new URLSearchParams({ id }).toString().slice('id='.length)
      authenticated(await postForm(server, unknownCode, basic(encoded, clientSecretOf)))
      const raw = await postForm(server, unknownCode, basic(id, clientSecretOf))
      const same = !/[:+%]/.test(id)
      expect(raw.status, `${id}, not encoded`).toBe(same ? 400 : 401)
    }
  })

  const clientSecretOf = newToken('sandbox', 'cs').text
  /** A client_id that we would never make, to see what becomes of its characters; each in turn has the one secret. */
  async function insertClient(id: string): Promise<void> {
    await query(
      server.database,
      `WITH before AS (DELETE FROM partners WHERE secret_hashes = ARRAY[sha256($2::bytea)])
       INSERT INTO partners (client_id, name, redirect_uris, secret_hashes)
       VALUES ($1, 'x', '{x}', ARRAY[sha256($2::bytea)])`,
      [id, Buffer.from(clientSecretOf)],
    )
  }

  test('the scheme is read in any case, and unpadded or URL-safe base64 too', async () => {
    const [, encoded = ''] = (basic(partner.clientId, partner.clientSecret).authorization ?? '').split(' ')
    for (const authorization of [
      `basic ${encoded}`,
      `BASIC ${encoded}`,
      `Basic ${encoded.replace(/=+$/, '')}`,
    ]) {
      authenticated(await postForm(server, unknownCode, { authorization }))
    }
  })

  test.each<[string, () => Record<string, string>]>([
    ['a wrong secret', () => basic(partner.clientId, newToken('sandbox', 'cs').text)],
    ["another client's secret", () => basic(partner.clientId, other.clientSecret)],
    ['a secret that is none', () => basic(partner.clientId, 'guess')],
    ['an empty secret', () => basic(partner.clientId, '')],
    ['an empty client_id', () => basic('', partner.clientSecret)],
    ['no colon', () => ({ authorization: `Basic ${Buffer.from('no colon').toString('base64')}` })],
    ['a broken percent sign', () => basic(partner.clientId, '%zz')],
    ['NUL in the client_id', () => basic('a%00b', partner.clientSecret)],
    ['NUL, not encoded', () => basic('a\0b', partner.clientSecret)],
    [
      'bytes that are no UTF-8',
      () => ({ authorization: `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}` }),
    ],
    ['no base64', () => ({ authorization: 'Basic !!!' })],
    ['nothing after the scheme', () => ({ authorization: 'Basic' })],
    ['two values', () => ({ authorization: 'Basic YTpi YTpi' })],
    ['another scheme', () => ({ authorization: `Bearer ${partner.clientSecret}` })],
    ['an empty header', () => ({ authorization: '' })],
  ])('Basic with %s: 401, a challenge of the same scheme, and nothing consumed', async (_what, headers) => {
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    const answer = await postForm(
      server,
      { grant_type: 'refresh_token', refresh_token: refreshToken },
      headers(),
    )
    expectError(answer, 401, 'invalid_client', /./)
    expect(JSON.stringify(answer.body)).not.toContain(partner.clientSecret)
    expect(await connectionOf(server, refreshToken)).toMatchObject({ revoked: false, refresh_tokens: 1 })
  })

  test('Basic that fails is not rescued by a right client_id in the body', async () => {
    const headers = basic(partner.clientId, newToken('sandbox', 'cs').text)
    expectError(
      await postForm(server, { ...unknownCode, client_id: partner.clientId }, headers),
      401,
      'invalid_client',
      /^Invalid client credentials\.$/,
    )
  })
})

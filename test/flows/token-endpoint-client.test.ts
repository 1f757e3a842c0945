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
  /** Only an authenticated client gets this error. */
  const expectAuthenticated = (answer: TokenAnswer) =>
    expectError(answer, 400, 'invalid_grant', /^Unknown or expired authorization code/)

  test('Basic together with client_secret in the body: invalid_request, even if both are right', async () => {
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
    expectAuthenticated(await postForm(server, { ...unknownCode, client_id: partner.clientId }, own))
    expectAuthenticated(await postForm(server, { ...unknownCode, client_id: '', client_secret: '' }, own))
    expectError(
      await postForm(server, { ...unknownCode, client_id: other.clientId }, own),
      400,
      'invalid_request',
      /^client_id in the request body differs from the client of the Authorization header\.$/,
    )
  })

  test('Basic credentials are form-decoded once, after the split at the first colon', async () => {
    const everyCharacter = (text: string) =>
      [...text].map((c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')
    const { clientId, clientSecret } = partner
    expectAuthenticated(await postForm(server, unknownCode, basic(clientId, clientSecret)))
    expectAuthenticated(
      await postForm(server, unknownCode, basic(everyCharacter(clientId), everyCharacter(clientSecret))),
    )
    const twice = basic(clientId, everyCharacter(everyCharacter(clientSecret)))
    expect((await postForm(server, unknownCode, twice)).status).toBe(401)

    for (const id of ['a:b', 'a+b', 'a b', 'a%b', 'a%2Bb', 'käthe', '客戶']) {
      await insertClient(id)
      const encoded = new URLSearchParams({ id }).toString().slice('id='.length)
      expectAuthenticated(await postForm(server, unknownCode, basic(encoded, sharedSecret)))
      const raw = await postForm(server, unknownCode, basic(id, sharedSecret))
      const same = !/[:+%]/.test(id)
      expect(raw.status, `${id}, not encoded`).toBe(same ? 400 : 401)
    }
  })

  const sharedSecret = newToken('sandbox', 'cs').text
  /**
   * Replaces the previous such client by one whose client_id has characters that Latchkey never generates. All have the same
   * secret.
   */
  async function insertClient(id: string): Promise<void> {
    await query(
      server.database,
      `WITH before AS (DELETE FROM partners WHERE secret_hashes = ARRAY[sha256($2::bytea)])
       INSERT INTO partners (client_id, name, redirect_uris, secret_hashes)
       VALUES ($1, 'x', '{x}', ARRAY[sha256($2::bytea)])`,
      [id, Buffer.from(sharedSecret)],
    )
  }

  test('the scheme is case-insensitive, and base64 without padding is accepted', async () => {
    const [, encoded = ''] = (basic(partner.clientId, partner.clientSecret).authorization ?? '').split(' ')
    for (const authorization of [
      `basic ${encoded}`,
      `BASIC ${encoded}`,
      `Basic ${encoded.replace(/=+$/, '')}`,
    ]) {
      expectAuthenticated(await postForm(server, unknownCode, { authorization }))
    }
  })

  test.each<[string, () => Record<string, string>]>([
    ['a wrong secret', () => basic(partner.clientId, newToken('sandbox', 'cs').text)],
    ["another client's secret", () => basic(partner.clientId, other.clientSecret)],
    ['a malformed secret', () => basic(partner.clientId, 'guess')],
    ['an empty secret', () => basic(partner.clientId, '')],
    ['an empty client_id', () => basic('', partner.clientSecret)],
    ['no colon', () => ({ authorization: `Basic ${Buffer.from('no colon').toString('base64')}` })],
    ['a broken percent sign', () => basic(partner.clientId, '%zz')],
    ['NUL in the client_id', () => basic('a%00b', partner.clientSecret)],
    ['NUL without percent-encoding', () => basic('a\0b', partner.clientSecret)],
    [
      'bytes that are not UTF-8',
      () => ({ authorization: `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}` }),
    ],
    ['text that is not base64', () => ({ authorization: 'Basic !!!' })],
    ['nothing after the scheme', () => ({ authorization: 'Basic' })],
    ['two values', () => ({ authorization: 'Basic YTpi YTpi' })],
    ['another scheme', () => ({ authorization: `Bearer ${partner.clientSecret}` })],
    ['an empty header', () => ({ authorization: '' })],
  ])(
    'Basic with %s: 401, a challenge with the same scheme, and the refresh token is not used up',
    async (_case, headers) => {
      const { refreshToken } = await tokensFor(server, partner, 'ada')
      const answer = await postForm(
        server,
        { grant_type: 'refresh_token', refresh_token: refreshToken },
        headers(),
      )
      expectError(answer, 401, 'invalid_client', /./)
      expect(JSON.stringify(answer.body)).not.toContain(partner.clientSecret)
      expect(await connectionOf(server, refreshToken)).toMatchObject({ revoked: false, generation: 1 })
    },
  )

  test('invalid Basic credentials are refused even with the right client_id in the body', async () => {
    const headers = basic(partner.clientId, newToken('sandbox', 'cs').text)
    expectError(
      await postForm(server, { ...unknownCode, client_id: partner.clientId }, headers),
      401,
      'invalid_client',
      /^Invalid client credentials\.$/,
    )
  })
})

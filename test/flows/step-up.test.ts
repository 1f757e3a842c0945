import { expect, test } from 'vitest'
import { issued, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { addTotp, nextCode } from '../support/factors.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, authorize, refresh, token } from '../support/journey.ts'
import { answerOf, loggedIn } from '../support/pages.ts'

const server = await serverFixture()
const partner = await server.partner()
const other = await server.partner()
await seed(server.database, { users: ['ada'], households: ['h1'] })

const twoFactor = 'urn:latchkey:acr:two-factor'

const requireAcr = (acr: string | null) =>
  query(server.database, 'UPDATE partners SET require_acr = $2 WHERE client_id = $1', [partner.clientId, acr])

/** RFC 9470, from the challenge to the new token, as a partner goes through it. */
test('a partner that requires more gets 401 with acr_values, sends the user there, and reads again', async () => {
  const visitor = await loggedIn(server, 'ada')
  const weak = await tokensFor(server, partner, 'ada', { visitor })
  const unaffected = await tokensFor(server, other, 'ada', { visitor })
  const first = await api(server, 'households', weak.accessToken)
  expect(first.status).toBe(200)

  await requireAcr(twoFactor)
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
  for (const path of ['households', '../v2/households', '../../oauth2/userinfo']) {
    const refused = await api(server, path, weak.accessToken, headers)
    expect(refused.status, path).toBe(401)
    expect(refused.body).toMatchObject({ code: 'insufficient_user_authentication', status: 401 })
    const challenge = refused.headers.get('www-authenticate')
    expect(challenge).toContain('error="insufficient_user_authentication"')
    expect(challenge).toContain(`acr_values="${twoFactor}"`)
  }
  expect((await api(server, 'households', unaffected.accessToken)).status).toBe(200)
  // A refresh does not change how the user logged in.
  const refreshed = issued(await refresh(server, partner, weak.refreshToken))
  expect((await api(server, 'households', refreshed.accessToken)).status).toBe(401)

  const { secret } = await addTotp(server, visitor)
  await query(server.database, `UPDATE sessions SET acr = 'urn:latchkey:acr:password', amr = '{pwd}'`)
  const page = await authorize(visitor, server, partner, { acr_values: twoFactor })
  expect(new URL(page.url).pathname).toBe('/step-up')
  const connect = await visitor.follow(
    await visitor.submit(page, '/step-up', { code: nextCode(server, secret) }),
  )
  const { code = '' } = answerOf(partner, await visitor.submit(connect, '/connect', { decision: 'connect' }))
  const strong = issued(await token(server, partner, { grant_type: 'authorization_code', code }))
  expect((await api(server, 'households', strong.accessToken)).status).toBe(200)
  const { body } = await token(server, partner, { token: strong.accessToken }, 'introspect')
  expect(body).toMatchObject({ active: true, acr: twoFactor, auth_time: expect.any(Number) })

  await requireAcr('urn:latchkey:acr:phishing-resistant')
  const tooWeak = await api(server, 'households', strong.accessToken)
  expect(tooWeak.headers.get('www-authenticate')).toContain(
    'acr_values="urn:latchkey:acr:phishing-resistant"',
  )
  await requireAcr(null)
  expect((await api(server, 'households', weak.accessToken)).status).toBe(200)
})

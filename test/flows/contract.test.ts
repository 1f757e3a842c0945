import { expect, test } from 'vitest'
import { tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, connect, refresh, token } from '../support/journey.ts'

const server = await serverFixture({
  users: ['ada'],
  households: [
    { id: 'h1', name: 'Straße' },
    { id: 'h2', name: null },
  ],
  accounts: [
    { id: 'a1', household: 'h1' },
    { id: 'a2', household: 'h1', status: 'closed' },
  ],
})
const partner = await server.partner()

test('the journey of contract section 4: authorize, exchange, list, accounts, refresh', async () => {
  const answer = await connect(server, partner, 'ada', { state: 'opaque state' })
  expect(`${answer.origin}${answer.pathname}`).toBe(partner.redirectUri)
  expect(answer.searchParams.get('state')).toBe('opaque state')
  expect(answer.searchParams.get('iss')).toBe(server.authUrl)

  const code = answer.searchParams.get('code') ?? ''
  const exchanged = await token(server, partner, { grant_type: 'authorization_code', code, token_type: 'id' })
  expect(exchanged.status).toBe(200)
  expect(exchanged.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'openid' })

  const households = await api(server, 'households', String(exchanged.body.access_token))
  expect(households.status).toBe(200)
  expect(households.body).toEqual([{ id: 'h1', name: 'Straße' }, { id: 'h2' }])

  const found = await api(server, 'households?name_pattern=STRASSE', String(exchanged.body.access_token))
  expect(found.body).toEqual([{ id: 'h1', name: 'Straße' }])

  const accounts = await api(server, 'households/h1/accounts', String(exchanged.body.access_token))
  expect(accounts.body).toEqual([{ id: 'a1', household_id: 'h1', status: 'active' }])

  const refreshed = await refresh(server, partner, String(exchanged.body.refresh_token))
  expect(refreshed.status).toBe(200)
  expect(refreshed.body.refresh_token).not.toBe(exchanged.body.refresh_token)
  expect((await api(server, 'households', String(refreshed.body.access_token))).status).toBe(200)
})

test('access tokens also work with the API at the root of the origin', async () => {
  const { accessToken } = await tokensFor(server, partner, 'ada')
  const response = await fetch(`${server.authUrl}/api/v1/households`, {
    headers: { authorization: `Bearer ${accessToken}` },
  })
  expect(response.status).toBe(200)
  expect(await response.json()).toHaveLength(2)
})

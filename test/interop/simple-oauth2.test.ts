import { randomUUID } from 'node:crypto'
import { AuthorizationCode } from 'simple-oauth2'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { api } from '../support/journey.ts'
import { households, type PartnerApp, startPartnerApp, travel } from '../support/partner-app.ts'

let app: PartnerApp
beforeAll(async () => {
  app = await startPartnerApp()
})
afterAll(() => app.close())

/** The library's own token type has no fields. */
const Tokens = Type.Object({ access_token: Type.String(), refresh_token: Type.String() })

test('simple-oauth2: the journey with Basic, refresh, revocation of both tokens', async () => {
  const { server, partner } = app
  const { origin, pathname } = new URL(server.baseUrl)
  const library = new AuthorizationCode({
    client: { id: partner.clientId, secret: partner.clientSecret },
    auth: {
      tokenHost: origin,
      tokenPath: `${pathname}oauth2/token`,
      revokePath: `${pathname}oauth2/revoke`,
      authorizeHost: server.authUrl,
      authorizePath: '/api/oauth2/authorize',
    },
  })
  const state = randomUUID()
  const { redirectUri } = partner
  const { searchParams } = await travel(
    app,
    new URL(library.authorizeURL({ redirect_uri: redirectUri, scope: 'openid', state })),
  )
  expect(searchParams.get('state')).toBe(state)
  const code = searchParams.get('code') ?? ''
  const connected = await library.getToken({ code, redirect_uri: redirectUri })
  const tokens = Value.Parse(Tokens, connected.token)
  expect(connected.token).toMatchObject({ token_type: 'Bearer', scope: 'openid' })
  expect(connected.expired()).toBe(false)
  expect(connected.expired(3600)).toBe(true)
  expect(await api(server, 'households', tokens.access_token)).toMatchObject({
    status: 200,
    body: households,
  })

  const next = await connected.refresh()
  const refreshed = Value.Parse(Tokens, next.token)
  expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
  expect(await api(server, 'households', refreshed.access_token)).toMatchObject({ body: households })

  await next.revokeAll()
  for (const { access_token } of [tokens, refreshed]) {
    expect(await api(server, 'households', access_token)).toMatchObject({ status: 401 })
  }
  await expect(next.refresh()).rejects.toMatchObject({
    output: { statusCode: 400 },
    data: { payload: { error: 'invalid_grant' } },
  })
})

import * as client from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { households, type PartnerApp, startPartnerApp, travel } from '../support/partner-app.ts'

let app: PartnerApp
beforeAll(async () => {
  app = await startPartnerApp()
})
afterAll(() => app.close())

test('openid-client: discovery, the journey with PKCE, state and nonce, userinfo, refresh, revocation', async () => {
  const { server, partner } = app
  const config = await client.discovery(
    new URL(server.authUrl),
    partner.clientId,
    partner.clientSecret,
    undefined,
    { execute: [client.allowInsecureRequests] }, // allows plain http, here on loopback
  )
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
  const authorizationUrl = client.buildAuthorizationUrl(config, {
    redirect_uri: partner.redirectUri,
    scope: 'openid',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
  })
  const tokens = await client.authorizationCodeGrant(config, await travel(app, authorizationUrl), {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
    idTokenExpected: true,
  })
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'openid' })
  expect(tokens.claims()).toMatchObject({
    iss: server.authUrl,
    aud: partner.clientId,
    nonce: expectedNonce,
    sub: expect.stringMatching(/^[0-9A-Za-z]{22}$/),
  })

  const read = (accessToken: string) =>
    client.fetchProtectedResource(config, accessToken, new URL(`${server.baseUrl}api/v1/households`), 'GET')
  expect(await (await read(tokens.access_token)).json()).toEqual(households)
  const subject = tokens.claims()?.sub ?? ''
  expect(await client.fetchUserInfo(config, tokens.access_token, subject)).toEqual({ sub: subject })

  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', { token_type: 'id' })
  expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
  expect(refreshed.claims()?.sub).toBe(subject)
  expect(await (await read(refreshed.access_token)).json()).toEqual(households)

  await client.tokenRevocation(config, refreshed.refresh_token ?? '')
  for (const { access_token } of [tokens, refreshed]) {
    await expect(read(access_token)).rejects.toMatchObject({
      status: 401,
      cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
    })
  }
  await expect(client.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
    status: 400,
    error: 'invalid_grant',
  })
})

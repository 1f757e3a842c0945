import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { households, type PartnerApp, startPartnerApp, travel } from '../support/partner-app.ts'

// The library refuses plain http by default. These tests allow it, because all requests stay on loopback.
const insecure = { [oauth.allowInsecureRequests]: true }

let app: PartnerApp
let as: oauth.AuthorizationServer
let self: oauth.Client

beforeAll(async () => {
  app = await startPartnerApp()
  const issuer = new URL(app.server.authUrl)
  as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
  self = { client_id: app.partner.clientId }
})
afterAll(() => app.close())
beforeEach(() => app.page.context().clearCookies())

/** The journey with every check that the library supports: state, iss, PKCE, nonce, max_age and the id_token signature. */
async function connect(clientAuthentication: oauth.ClientAuth) {
  const { partner } = app
  const verifier = oauth.generateRandomCodeVerifier()
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
  const maxAge = 300
  const authorizationUrl = new URL(as.authorization_endpoint ?? '')
  authorizationUrl.search = new URLSearchParams({
    client_id: partner.clientId,
    redirect_uri: partner.redirectUri,
    response_type: 'code',
    scope: 'openid',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    max_age: String(maxAge),
  }).toString()
  const callback = await travel(app, authorizationUrl)
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    self,
    clientAuthentication,
    oauth.validateAuthResponse(as, self, callback, state),
    partner.redirectUri,
    verifier,
    insecure,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(as, self, response, {
    expectedNonce: nonce,
    maxAge,
    requireIdToken: true,
  })
  await oauth.validateApplicationLevelSignature(as, response, insecure)
  return tokens
}

async function refresh(
  clientAuthentication: oauth.ClientAuth,
  { refresh_token }: oauth.TokenEndpointResponse,
) {
  const response = await oauth.refreshTokenGrantRequest(as, self, clientAuthentication, refresh_token ?? '', {
    ...insecure,
    additionalParameters: { token_type: 'id' },
  })
  return oauth.processRefreshTokenResponse(as, self, response)
}

function read({ access_token }: oauth.TokenEndpointResponse) {
  const url = new URL(`${app.server.baseUrl}api/v1/households`)
  return oauth.protectedResourceRequest(access_token, 'GET', url, undefined, undefined, insecure)
}

test.each([
  ['ClientSecretBasic', oauth.ClientSecretBasic],
  ['ClientSecretPost', oauth.ClientSecretPost],
])('oauth4webapi with %s: discovery, the journey, refresh, revocation', async (_name, authenticate) => {
  const clientAuthentication = authenticate(app.partner.clientSecret)
  const tokens = await connect(clientAuthentication)
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'openid' })
  expect(await (await read(tokens)).json()).toEqual(households)

  const refreshed = await refresh(clientAuthentication, tokens)
  expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
  expect(oauth.getValidatedIdTokenClaims(refreshed)?.sub).toBe(oauth.getValidatedIdTokenClaims(tokens)?.sub)
  expect(await (await read(refreshed)).json()).toEqual(households)

  await oauth.processRevocationResponse(
    await oauth.revocationRequest(as, self, clientAuthentication, refreshed.refresh_token ?? '', insecure),
  )
  for (const dead of [tokens, refreshed]) {
    await expect(read(dead)).rejects.toMatchObject({
      code: oauth.WWW_AUTHENTICATE_CHALLENGE,
      status: 401,
      cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
    })
  }
  await expect(refresh(clientAuthentication, refreshed)).rejects.toMatchObject({
    status: 400,
    error: 'invalid_grant',
  })
})

test('oauth4webapi reads the challenge after failed Basic authentication', async () => {
  const wrong = oauth.ClientSecretBasic('wrong: + % ü')
  const answer = await oauth.refreshTokenGrantRequest(as, self, wrong, 'x', insecure)
  await expect(oauth.processRefreshTokenResponse(as, self, answer)).rejects.toMatchObject({
    code: oauth.WWW_AUTHENTICATE_CHALLENGE,
    status: 401,
    cause: [{ scheme: 'basic' }],
  })
})

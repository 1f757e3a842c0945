import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seed } from '../support/directory.ts'
import { logIn } from '../support/journey.ts'
import { type TestPartner, type TestServer, testServer } from '../support/server.ts'
import { redirectOf, Visitor } from '../support/visitor.ts'

let server: TestServer
let partner: TestPartner

beforeAll(async () => {
  server = await testServer()
  partner = await server.partner()
  await seed(server.database, { users: [{ id: 'ada' }], households: [{ id: 'h1', name: 'Lovelace' }] })
})
afterAll(() => server.close())

/** The user's part: the standard's GET, the login page, the connect page, and back to the partner. */
async function throughThePages(authorizationUrl: URL, visitor = new Visitor()): Promise<URL> {
  let page = await visitor.follow(await visitor.get(authorizationUrl.href))
  if (page.document.querySelector('input[name=password]')) page = await logIn(visitor, page, 'ada')
  const answer = redirectOf(await visitor.submit(page, '/connect', { decision: 'connect' }))
  if (answer?.href.startsWith(partner.redirectUri) !== true) throw new Error(`not sent back but to ${answer}`)
  return answer
}

const apiUrl = () => new URL(`${server.baseUrl}api/v1/households`)
const households = [{ id: 'h1', name: 'Lovelace' }]

describe('openid-client', () => {
  const discover = (authentication?: client.ClientAuth) =>
    client.discovery(new URL(server.authUrl), partner.clientId, partner.clientSecret, authentication, {
      execute: [client.allowInsecureRequests],
    })

  test.each<[string, (() => client.ClientAuth) | undefined]>([
    ['its default authentication, client_secret_post', undefined],
    ['client_secret_basic', () => client.ClientSecretBasic(partner.clientSecret)],
  ])('%s: discovery, the journey, tokens, refresh, revoke', async (_how, authentication) => {
    const config = await discover(authentication?.())
    const verifier = client.randomPKCECodeVerifier()
    const [state, nonce] = [client.randomState(), client.randomNonce()]
    const authorizationUrl = client.buildAuthorizationUrl(config, {
      redirect_uri: partner.redirectUri,
      scope: 'openid',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      max_age: '300',
    })
    const back = await throughThePages(authorizationUrl)
    const tokens = await client.authorizationCodeGrant(config, back, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      maxAge: 300,
      idTokenExpected: true,
    })
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'openid' })
    expect(tokens.claims()).toMatchObject({ iss: server.authUrl, aud: partner.clientId, nonce })

    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
    expect(refreshed.claims()?.sub).toBe(tokens.claims()?.sub)
    const called = await client.fetchProtectedResource(config, refreshed.access_token, apiUrl(), 'GET')
    expect(await called.json()).toEqual(households)

    await client.tokenRevocation(config, refreshed.refresh_token ?? '')
    await expect(client.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    await expect(
      client.fetchProtectedResource(config, refreshed.access_token, apiUrl(), 'GET'),
    ).rejects.toMatchObject({ status: 401 })
  })

  test('checks the signature of the id_token against the published keys', async () => {
    const config = await discover()
    client.enableNonRepudiationChecks(config)
    const verifier = client.randomPKCECodeVerifier()
    const back = await throughThePages(
      client.buildAuthorizationUrl(config, {
        redirect_uri: partner.redirectUri,
        scope: 'openid',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }),
    )
    const tokens = await client.authorizationCodeGrant(config, back, {
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    expect(tokens.claims()?.sub).toMatch(/^[0-9A-Za-z]{22}$/)
  })

  test('understands a refusal: the code is not redeemed by another verifier', async () => {
    const config = await discover()
    const back = await throughThePages(
      client.buildAuthorizationUrl(config, {
        redirect_uri: partner.redirectUri,
        scope: 'openid',
        code_challenge: await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier()),
        code_challenge_method: 'S256',
      }),
    )
    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    await expect(client.authorizationCodeGrant(config, back, { pkceCodeVerifier })).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
    })
  })
})

describe('oauth4webapi', () => {
  const insecure = { [oauth.allowInsecureRequests]: true }

  test.each([
    ['client_secret_basic', oauth.ClientSecretBasic],
    ['client_secret_post', oauth.ClientSecretPost],
  ])('%s: discovery, the journey, tokens, refresh, revoke', async (_how, authenticate) => {
    const issuer = new URL(server.authUrl)
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
    expect(as.authorization_response_iss_parameter_supported).toBe(true)
    const self: oauth.Client = { client_id: partner.clientId }
    const auth = authenticate(partner.clientSecret)

    const verifier = oauth.generateRandomCodeVerifier()
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
    const authorizationUrl = new URL(as.authorization_endpoint ?? '')
    authorizationUrl.search = new URLSearchParams({
      client_id: self.client_id,
      redirect_uri: partner.redirectUri,
      response_type: 'code',
      scope: 'openid',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    }).toString()
    const parameters = oauth.validateAuthResponse(as, self, await throughThePages(authorizationUrl), state)

    const answer = await oauth.authorizationCodeGrantRequest(
      as,
      self,
      auth,
      parameters,
      partner.redirectUri,
      verifier,
      insecure,
    )
    const signed = answer.clone()
    const tokens = await oauth.processAuthorizationCodeResponse(as, self, answer, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    await oauth.validateApplicationLevelSignature(as, answer, insecure)
    expect(await signed.json()).toMatchObject({ token_type: 'Bearer' })
    const claims = oauth.getValidatedIdTokenClaims(tokens)
    expect(claims).toMatchObject({ iss: server.authUrl, aud: partner.clientId, nonce })

    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      self,
      await oauth.refreshTokenGrantRequest(as, self, auth, tokens.refresh_token ?? '', insecure),
    )
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
    expect(oauth.getValidatedIdTokenClaims(refreshed)?.sub).toBe(claims?.sub)
    const call = () =>
      oauth.protectedResourceRequest(
        refreshed.access_token,
        'GET',
        apiUrl(),
        new Headers(),
        undefined,
        insecure,
      )
    expect(await (await call()).json()).toEqual(households)

    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, self, auth, refreshed.refresh_token ?? '', insecure),
    )
    await expect(call()).rejects.toMatchObject({ code: oauth.WWW_AUTHENTICATE_CHALLENGE, status: 401 })
    const dead = await oauth.refreshTokenGrantRequest(as, self, auth, refreshed.refresh_token ?? '', insecure)
    await expect(oauth.processRefreshTokenResponse(as, self, dead)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  test('reads the challenge of a failed Basic', async () => {
    const issuer = new URL(server.authUrl)
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
    const self: oauth.Client = { client_id: partner.clientId }
    const auth = oauth.ClientSecretBasic('wrong: + % ü')
    const answer = await oauth.refreshTokenGrantRequest(as, self, auth, 'x', insecure)
    await expect(oauth.processRefreshTokenResponse(as, self, answer)).rejects.toMatchObject({
      code: oauth.WWW_AUTHENTICATE_CHALLENGE,
      status: 401,
      cause: [{ scheme: 'basic' }],
    })
  })
})

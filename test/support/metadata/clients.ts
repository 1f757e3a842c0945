import { SignJWT } from 'jose'
import { expect } from 'vitest'
import type { AuthMethod } from '../../../src/partners/partners.sql.ts'
import { assertionParameters, clientBy, newSigningPair, type SigningPair } from '../client-assertion.ts'
import { codeFor, issued, tokensFor } from '../connection.ts'
import { type Endpoint, send, token } from '../journey.ts'
import { credentials, postForm } from '../token-endpoint.ts'
import { type Checks, eachOf, listOf, type MetadataFixture } from './checks.ts'

/** Checks of the metadata about the endpoints at which clients authenticate. */
export function clientChecks(fixture: MetadataFixture): Checks {
  const { server, partner, ada } = fixture
  const post = (url: unknown, parameters: Record<string, string>) =>
    send(String(url), {
      method: 'POST',
      body: new URLSearchParams({ ...credentials(partner), ...parameters }),
    })

  return {
    token_endpoint: async (value) => {
      const code = await codeFor(server, partner, 'ada', { visitor: ada })
      issued(await post(value, { grant_type: 'authorization_code', code }))
    },
    introspection_endpoint: async (value) => {
      const { accessToken } = await tokensFor(server, partner, 'ada')
      expect((await post(value, { token: accessToken })).body).toMatchObject({
        active: true,
        scope: 'openid',
      })
    },
    revocation_endpoint: async (value) => {
      const { accessToken } = await tokensFor(server, partner, 'ada')
      expect((await post(value, { token: accessToken })).status).toBe(200)
      const headers = { authorization: `Bearer ${accessToken}` }
      expect((await fetch(`${server.baseUrl}oauth2/userinfo`, { headers })).status).toBe(401)
    },
    grant_types_supported: listOf(
      {
        authorization_code: async () => {
          await tokensFor(server, partner, 'ada')
        },
        refresh_token: async () => {
          const { refreshToken } = await tokensFor(server, partner, 'ada')
          issued(await token(server, partner, { grant_type: 'refresh_token', refresh_token: refreshToken }))
        },
      },
      async () => {
        for (const type of [
          'password',
          'client_credentials',
          'implicit',
          'urn:ietf:params:oauth:grant-type:jwt-bearer',
        ]) {
          const { body } = await token(server, partner, { grant_type: type })
          expect(body.error).toBe('unsupported_grant_type')
        }
      },
    ),
    token_endpoint_auth_methods_supported: authMethods(fixture, 'token'),
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms(fixture, 'token'),
    introspection_endpoint_auth_methods_supported: authMethods(fixture, 'introspect'),
    introspection_endpoint_auth_signing_alg_values_supported: assertionAlgorithms(fixture, 'introspect'),
    revocation_endpoint_auth_methods_supported: authMethods(fixture, 'revoke'),
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms(fixture, 'revoke'),
  }
}

/** A request that fails client authentication only if the client is not authenticated. The token does not exist. */
const harmless = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x' }

function expectClient({ status, body }: { status: number; body: Record<string, unknown> }): void {
  expect(status).not.toBe(401)
  expect(['invalid_grant', undefined]).toContain(body.error)
}

function authMethods({ server, partner }: MetadataFixture, endpoint: Endpoint) {
  const methods: AuthMethod[] = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
  return eachOf(
    methods,
    async (method) => expectClient(await (await clientBy(method, server)).ask(harmless, endpoint)),
    async () => {
      // Refused methods: `none` and `client_secret_jwt`.
      const { clientId, clientSecret } = partner
      const claims = { iss: clientId, sub: clientId, aud: server.authUrl, jti: 'x' }
      const signed = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1m')
      const assertion = assertionParameters(await signed.sign(Buffer.from(clientSecret)))
      for (const proof of [{ client_id: clientId }, assertion]) {
        const refused = await postForm(server, { ...harmless, ...proof }, {}, endpoint)
        expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
      }
    },
  )
}

/** One key for each algorithm: generating an RSA key takes long. */
const pairs = new Map<string, Promise<SigningPair>>()

function assertionAlgorithms({ server }: MetadataFixture, endpoint: Endpoint) {
  const answer = async (alg: string) => {
    const pair = pairs.get(alg) ?? newSigningPair(alg)
    pairs.set(alg, pair)
    const client = await clientBy('private_key_jwt', server, await pair)
    return client.ask(harmless, endpoint)
  }
  return eachOf(
    ['RS256', 'PS256', 'ES256'],
    async (alg) => expectClient(await answer(alg)),
    async () => {
      for (const alg of ['RS384', 'RS512', 'PS512']) {
        expect((await answer(alg)).body.error).toBe('invalid_client')
      }
    },
  )
}

import * as openid from 'openid-client'
import { type Static, Type } from 'typebox'
import type { Config } from './config.ts'

export const Tokens = Type.Object({
  accessToken: Type.String(),
  refreshToken: Type.String(),
  expiresAt: Type.Number({ description: 'When the access token expires, in milliseconds since the epoch.' }),
})
export type Tokens = Static<typeof Tokens>

/** Binds a login to the browser that started it. Otherwise an attacker could inject a code (login CSRF). */
export const Attempt = Type.Object({
  state: Type.String(),
  nonce: Type.String(),
  codeVerifier: Type.String(),
})
export type Attempt = Static<typeof Attempt>

export type Authorization = ReturnType<typeof createAuthorization>

/** The calls to the authorization server: start, finish, refresh, revoke. */
export function createAuthorization({ authUrl, partnerUrl, clientId, clientSecret }: Config) {
  let discovered: Promise<openid.Configuration> | undefined

  function server() {
    const execute = [openid.enableNonRepudiationChecks]
    if (authUrl.protocol === 'http:') execute.push(openid.allowInsecureRequests)

    discovered ??= openid
      .discovery(authUrl, clientId, clientSecret, undefined, { execute })
      .catch((error: unknown) => {
        discovered = undefined
        throw error
      })
    return discovered
  }

  return {
    async start(): Promise<{ attempt: Attempt; url: URL }> {
      const attempt = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        codeVerifier: openid.randomPKCECodeVerifier(),
      }
      const url = openid.buildAuthorizationUrl(await server(), {
        redirect_uri: new URL('/callback', partnerUrl).href,
        scope: 'openid',
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(attempt.codeVerifier),
        code_challenge_method: 'S256',
      })
      return { attempt, url }
    },

    async finish(callback: URL, attempt: Attempt): Promise<Tokens> {
      const response = await openid.authorizationCodeGrant(await server(), callback, {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.codeVerifier,
      })
      return toTokens(response)
    },

    async refresh(refreshToken: string): Promise<Tokens> {
      return toTokens(await openid.refreshTokenGrant(await server(), refreshToken))
    },

    async revoke(refreshToken: string): Promise<void> {
      await openid.tokenRevocation(await server(), refreshToken)
    },
  }
}

function toTokens(response: Awaited<ReturnType<typeof openid.refreshTokenGrant>>): Tokens {
  const { access_token, refresh_token, expires_in } = response
  if (refresh_token === undefined || expires_in === undefined) {
    throw new openid.ClientError('The token response has no refresh_token or no expires_in.')
  }
  return { accessToken: access_token, refreshToken: refresh_token, expiresAt: Date.now() + expires_in * 1000 }
}

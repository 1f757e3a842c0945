import { ResponseBodyError } from 'openid-client'
import type { Authorization, Tokens } from './authorization.ts'
import type { Connections } from './connections.ts'
import { NotConnected } from './errors.ts'

/** Milliseconds before its end at which an access token is refreshed. */
const refreshBeforeMs = 60_000

/**
 * Returns a valid access token for a browser session. `rejected` is a token that the API has refused. The result is
 * always another token.
 * @throws {NotConnected} if the session has no connection, or if the connection has ended
 */
export type AccessToken = (sessionId: string | undefined, rejected?: string) => Promise<string>

export function createAccessToken(authorization: Authorization, connections: Connections): AccessToken {
  const refreshing = new Map<string, Promise<Tokens>>()

  // A refresh token can be used only once. Concurrent requests therefore share one refresh.
  function refreshOnce(sessionId: string, refreshToken: string) {
    const running = refreshing.get(sessionId)
    if (running) return running
    const started = refresh(sessionId, refreshToken).finally(() => refreshing.delete(sessionId))
    refreshing.set(sessionId, started)
    return started
  }

  async function refresh(sessionId: string, refreshToken: string) {
    try {
      const tokens = await authorization.refresh(refreshToken)
      connections.put(sessionId, tokens)
      return tokens
    } catch (error) {
      if (!(error instanceof ResponseBodyError && error.error === 'invalid_grant')) throw error
      connections.delete(sessionId)
      throw new NotConnected('The connection has ended. Connect again to continue.')
    }
  }

  return async (sessionId, rejected) => {
    const tokens = connections.get(sessionId)
    if (sessionId === undefined || tokens === undefined) throw new NotConnected('Connect to see households.')

    const isFresh = tokens.expiresAt - Date.now() > refreshBeforeMs
    if (isFresh && tokens.accessToken !== rejected) return tokens.accessToken
    return (await refreshOnce(sessionId, tokens.refreshToken)).accessToken
  }
}

import { type PartnerOptions, refreshTokens, revokeToken } from './authorization.ts'
import { ConnectionEnded, LatchkeyError } from './errors.ts'
import type { CallOptions } from './http.ts'
import type { TokenStore, Tokens } from './store.ts'

/** Milliseconds before its end at which an access token is refreshed. */
const refreshBefore = 60_000

/** The tokens of all connections of a partner. */
export type Connections = {
  /** A valid access token. `rejected` is one that the API has refused; the result is always another. */
  accessToken(key: string, rejected?: string): Promise<string>
  put(key: string, tokens: Tokens): Promise<void>
  /** Ends the connection at the server, and forgets it. */
  end(key: string, call: CallOptions): Promise<void>
}

export function openConnections(options: PartnerOptions & { store: TokenStore }): Connections {
  const { store } = options
  const refreshes = new Map<string, Promise<Tokens>>()

  async function read(key: string): Promise<Tokens> {
    const tokens = await store.get(key)
    if (tokens) return tokens
    throw new ConnectionEnded('not_connected', 'There is no connection. Ask the user to connect.')
  }

  /** The calls of this process share a refresh, and its processes share the lock. */
  function refreshOnce(key: string, rejected: string | undefined): Promise<Tokens> {
    const name = JSON.stringify([key, rejected])
    const running = refreshes.get(name)
    if (running) return running
    const started = store.lock(key, () => refresh(key, rejected)).finally(() => refreshes.delete(name))
    refreshes.set(name, started)
    return started
  }

  async function refresh(key: string, rejected: string | undefined): Promise<Tokens> {
    // Read again: another process may have refreshed while this one waited for the lock.
    const tokens = await read(key)
    if (isUsable(tokens, rejected)) return tokens
    try {
      const next = await refreshTokens(options, tokens.refreshToken)
      await store.set(key, next)
      return next
    } catch (error) {
      if (!(error instanceof LatchkeyError && error.code === 'invalid_grant')) throw error
      await store.delete(key)
      const { code, detail, status, requestId, docs } = error
      throw new ConnectionEnded(code, detail, { status, requestId, docs, cause: error })
    }
  }

  return {
    async accessToken(key, rejected) {
      const tokens = await read(key)
      const usable = isUsable(tokens, rejected) ? tokens : await refreshOnce(key, rejected)
      return usable.accessToken
    },
    put: (key, tokens) => store.lock(key, () => store.set(key, tokens)),
    end: (key, call) =>
      store.lock(key, async () => {
        const tokens = await store.get(key)
        if (tokens) await revokeToken(options, tokens.refreshToken, call)
        await store.delete(key)
      }),
  }
}

function isUsable({ accessToken, expiresAt }: Tokens, rejected: string | undefined): boolean {
  return accessToken !== rejected && expiresAt - Date.now() > refreshBefore
}

export type Tokens = {
  accessToken: string
  refreshToken: string
  /** When the access token expires, in milliseconds since 1970. */
  expiresAt: number
}

/**
 * Keeps the tokens of each connection. `key` is your own id of the connection, for example the id of your user. All
 * processes that share connections use the same store. Tokens are secrets: encrypt them in a database.
 */
export interface TokenStore {
  get(key: string): Promise<Tokens | undefined>
  /** When the promise resolves, the tokens must survive a crash: the tokens before them soon stop working. */
  set(key: string, tokens: Tokens): Promise<void>
  delete(key: string): Promise<void>
  /**
   * Runs `work` while no other call or process runs work for the same key, and returns its result. Processes then share one
   * refresh. If the lock fails, nothing is lost: the server answers repeated refreshes with the same refresh token.
   */
  lock<T>(key: string, work: () => Promise<T>): Promise<T>
}

/** For tests and for programs with one process. A restart ends its connections. */
export function memoryStore(): TokenStore {
  const connections = new Map<string, Tokens>()
  const queues = new Map<string, Promise<unknown>>()
  return {
    get: async (key) => connections.get(key),
    set: async (key, tokens) => void connections.set(key, tokens),
    delete: async (key) => void connections.delete(key),
    lock(key, work) {
      const done = (queues.get(key) ?? Promise.resolve()).then(work, work)
      queues.set(key, done)
      const forget = () => queues.get(key) === done && queues.delete(key)
      done.then(forget, forget)
      return done
    },
  }
}

/**
 * Lets each application do one thing at a time on this server, by API and on pages together: what holds a database connection
 * or waits for a name server for seconds must not take the connections of others.
 */
export class OneAtATime {
  readonly #busy = new Set<string>()

  /** @returns what `work` returns, or `busy` at once if work of this application is in progress */
  async run<T>(clientId: string, work: () => Promise<T>): Promise<T | { kind: 'busy' }> {
    if (this.#busy.has(clientId)) return { kind: 'busy' }
    this.#busy.add(clientId)
    try {
      return await work()
    } finally {
      this.#busy.delete(clientId)
    }
  }
}

/**
 * Runs one piece of work of an application at a time on this server, from APIs and pages together. Slow work, such as waiting
 * for a name server, must not occupy the connections that other applications need.
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

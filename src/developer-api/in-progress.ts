import type { Answer } from '../management/answers.ts'

/**
 * Lets each application do one thing at a time on this server: what holds a database connection for seconds must not take the
 * connections of others.
 */
export class OneAtATime {
  readonly #busy = new Set<string>()

  async run(clientId: string, work: () => Promise<Answer>): Promise<Answer> {
    if (this.#busy.has(clientId)) {
      const detail = 'A request of your application that takes long is in progress. Send this one after it.'
      return { kind: 'problem', code: 'too_many_requests', detail, retryAfter: 1 }
    }
    this.#busy.add(clientId)
    try {
      return await work()
    } finally {
      this.#busy.delete(clientId)
    }
  }
}

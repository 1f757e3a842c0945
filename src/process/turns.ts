/** Lets work with the same name run one after the other on this server. Work that waits holds nothing. */
export class Turns {
  /** What the next work of a name waits for. It never rejects. */
  readonly #last = new Map<string, Promise<unknown>>()

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const own = Promise.resolve(this.#last.get(name)).then(work)
    const ended = own.catch(() => undefined)
    this.#last.set(name, ended)
    try {
      return await own
    } finally {
      if (this.#last.get(name) === ended) this.#last.delete(name)
    }
  }
}

/** Bounds the memory: about 100 bytes for each. */
const mostCallers = 2000

/**
 * Remembers which callers saw the whole firm at their last call, by `BearerToken.connectionKey`. Only a hint for the choice
 * of a statement: the statement itself checks what the caller sees now.
 */
export class FirmCallers {
  readonly #keys = new Set<string>()

  has(connectionKey: string): boolean {
    return this.#keys.has(connectionKey)
  }

  remember(connectionKey: string, seesFirm: boolean): void {
    if (!seesFirm) this.#keys.delete(connectionKey)
    else if (this.#keys.size < mostCallers) this.#keys.add(connectionKey)
    else this.#keys.clear()
  }
}

/**
 * Remembers the values that were set most recently. It has two generations: when the newer one is full, it replaces the older
 * one. It therefore keeps between `capacity` and twice as much, without a list in order.
 */
export class Recent<V> {
  readonly #capacity: number
  #newer = new Map<string, V>()
  #older = new Map<string, V>()
  #weight = 0

  /** @param capacity the sum of the weights of one generation */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get(key: string): V | undefined {
    const value = this.#newer.get(key)
    if (value !== undefined) return value
    return this.#older.get(key)
  }

  /** A key always has the same weight. */
  set(key: string, value: V, weight = 1): void {
    if (this.#newer.has(key)) {
      this.#newer.set(key, value)
      return
    }
    if (this.#weight + weight > this.#capacity) {
      this.#older = this.#newer
      this.#newer = new Map()
      this.#weight = 0
    }
    this.#newer.set(key, value)
    this.#weight += weight
  }

  clear(): void {
    this.#newer.clear()
    this.#older.clear()
    this.#weight = 0
  }
}

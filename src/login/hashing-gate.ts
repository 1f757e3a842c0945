import pLimit from 'p-limit'

/** Each hash takes 19 MiB or more, and one of libuv's four threads: tokens are signed on the others. */
const hashingAtOnce = 2
const mayWait = 64

/** Of all these places, what one source may take: one account of one's own is enough to fill a gate, over and over. */
const mostOfOneSource = 16

/** Keeps a flood of logins from taking what tokens and API need. One for each process. */
export type HashingGate = {
  /**
   * Runs work that is going to hash; undefined, with nothing done, when too much of it waits already, of this source
   * (`loginSource`) or of all.
   */
  admit<T>(source: string, work: () => Promise<T>): Promise<T> | undefined
  /** Waits for its turn. */
  hash<T>(work: () => Promise<T>): Promise<T>
}

export function hashingGate(): HashingGate {
  const places = pLimit(hashingAtOnce + mayWait)
  const taken = new Map<string, number>()
  const take = (source: string, change: 1 | -1) => {
    const now = (taken.get(source) ?? 0) + change
    if (now > 0) taken.set(source, now)
    else taken.delete(source)
  }
  return {
    admit(source, work) {
      const inside = places.activeCount + places.pendingCount
      const full = inside >= places.concurrency || (taken.get(source) ?? 0) >= mostOfOneSource
      if (full) return undefined
      take(source, 1)
      return places(work).finally(() => take(source, -1))
    },
    hash: pLimit(hashingAtOnce),
  }
}

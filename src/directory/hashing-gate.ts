import pLimit from 'p-limit'

/** Each hash takes 19 MiB or more, and one of libuv's four threads: tokens are signed on the others. */
const hashingAtOnce = 2
const mayWait = 64

/** Keeps a flood of logins from taking what tokens and API need. One for each process. */
export type HashingGate = {
  /** Runs work that is going to hash; undefined, with nothing done, when too much of it waits already. */
  admit<T>(work: () => Promise<T>): Promise<T> | undefined
  /** Waits for its turn. */
  hash<T>(work: () => Promise<T>): Promise<T>
}

export function hashingGate(): HashingGate {
  const places = pLimit(hashingAtOnce + mayWait)
  return {
    admit: (work) => (places.activeCount < places.concurrency ? places(work) : undefined),
    hash: pLimit(hashingAtOnce),
  }
}

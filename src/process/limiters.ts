import pLimit from 'p-limit'

// Each limiter is one per process: its numbers bound what this server does at once.

/** Each hash takes 19 MiB or more, and one of libuv's four threads; tokens are signed on the others. */
const concurrentHashes = 2
const queuedLogins = 64

/** One source may take only this many of all places: an attacker's own account is enough to fill them. */
const loginsPerSource = 16

/** Keeps a flood of logins from taking the CPU and memory that tokens and API need. */
export type PasswordHashLimiter = {
  /**
   * Runs work that is going to hash a password. Returns undefined, and runs nothing, when too much work waits already,
   * of this source (`loginSource`) or of all sources.
   */
  admit<T>(source: string, work: () => Promise<T>): Promise<T> | undefined
  /** Runs one hash when it is its turn. */
  hash<T>(work: () => Promise<T>): Promise<T>
}

export function passwordHashLimiter(): PasswordHashLimiter {
  const logins = pLimit(concurrentHashes + queuedLogins)
  const loginsBySource = new Map<string, number>()
  const count = (source: string, change: 1 | -1) => {
    const current = (loginsBySource.get(source) ?? 0) + change
    if (current > 0) loginsBySource.set(source, current)
    else loginsBySource.delete(source)
  }
  return {
    admit(source, work) {
      const admitted = logins.activeCount + logins.pendingCount
      const full = admitted >= logins.concurrency || (loginsBySource.get(source) ?? 0) >= loginsPerSource
      if (full) return undefined
      count(source, 1)
      return logins(work).finally(() => count(source, -1))
    },
    hash: pLimit(concurrentHashes),
  }
}

/** A page is deep when this many entries come before it. Clients that follow `Link` never request one. */
const deepPageEntries = 10_000n

const concurrentDeepPages = 2
const queuedDeepPages = 16

/**
 * A page that is requested by a large number costs a read of all entries before it. The limiter keeps such pages from
 * taking every connection to the database.
 */
export type DeepPageLimiter = {
  /** Reads a page with this many entries before it. Returns undefined, and reads nothing, when too many reads wait. */
  admit<T>(entriesBefore: bigint, read: () => Promise<T>): Promise<T> | undefined
}

export function deepPageLimiter(): DeepPageLimiter {
  const reads = pLimit(concurrentDeepPages)
  return {
    admit(entriesBefore, read) {
      if (entriesBefore < deepPageEntries) return read()
      return reads.pendingCount < queuedDeepPages ? reads(read) : undefined
    },
  }
}

import pLimit from 'p-limit'

// Each limiter is one per process: its numbers bound what this server does at once.

/** Each hash takes 19 MiB or more, and one of libuv's four threads; tokens are signed on the others. */
const concurrentHashes = 2
const queuedLogins = 64

/** One source may take only this many of all places: an attacker's own account is enough to fill them. */
const loginsPerSource = 16

/** Places for known browsers alone, which a flood of guesses cannot take; one account has few of them. */
const knownBrowserLogins = 16
const knownBrowserLoginsPerAccount = 2

/** Keeps a flood of logins from taking the CPU and memory that tokens and API need. */
export type PasswordHashLimiter = {
  /**
   * Runs work that is going to hash a password. Returns undefined, and runs nothing, when too much work waits already,
   * of this source (`loginSource`) or of all sources. `knownAccount` is the account that the browser is known to, by a
   * cookie that only this service can make: it has places of its own when the others are taken.
   */
  admit<T>(
    from: { source: string; knownAccount: string | undefined },
    work: () => Promise<T>,
  ): Promise<T> | undefined
  /** Runs one hash when it is its turn. */
  hash<T>(work: () => Promise<T>): Promise<T>
}

export function passwordHashLimiter(): PasswordHashLimiter {
  const ordinary = places(concurrentHashes + queuedLogins, loginsPerSource)
  const reserved = places(knownBrowserLogins, knownBrowserLoginsPerAccount)
  return {
    admit({ source, knownAccount }, work) {
      const release = ordinary(source) ?? (knownAccount === undefined ? undefined : reserved(knownAccount))
      return release && work().finally(release)
    },
    hash: pLimit(concurrentHashes),
  }
}

/** Returns what takes a place for a key, and gives what releases it again; undefined when none is free. */
function places(all: number, perKey: number): (key: string) => (() => void) | undefined {
  const taken = new Map<string, number>()
  let total = 0
  return (key) => {
    const ofKey = taken.get(key) ?? 0
    if (total >= all || ofKey >= perKey) return undefined
    total += 1
    taken.set(key, ofKey + 1)
    return () => {
      total -= 1
      const left = (taken.get(key) ?? 1) - 1
      if (left > 0) taken.set(key, left)
      else taken.delete(key)
    }
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

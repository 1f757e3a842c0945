import pLimit from 'p-limit'

// Each process has one limiter of each kind. Its limits apply to this process only.

/** Each hash uses 19 MiB or more, and one of libuv's four threads. The other threads sign tokens. */
const concurrentHashes = 2
const queuedLogins = 64

/** One source may take only this many places. Otherwise an attacker could fill all of them with a single account. */
const loginsPerSource = 16

/** Places only for known browsers, so that a flood of password guesses cannot take them. One account may take only a few. */
const knownBrowserLogins = 16
const knownBrowserLoginsPerAccount = 2

/** Keeps a flood of logins from taking the CPU and memory that tokens and the API need. */
export type PasswordHashLimiter = {
  /**
   * Runs work that hashes a password. If too much work of this source (`sourceOf`) or of all sources is waiting, it runs
   * nothing and returns undefined. `knownAccount` is the account for which the browser is known, by a cookie that only this
   * service can create. Such work has separate places if the others are taken.
   */
  admit<T>(
    from: { source: string; knownAccount: string | undefined },
    work: () => Promise<T>,
  ): Promise<T> | undefined
  /** Runs one hash when it is its turn. */
  hash<T>(work: () => Promise<T>): Promise<T>
  /** Hashes that are computed or wait for their turn. */
  inProgress(): number
}

export function passwordHashLimiter(): PasswordHashLimiter {
  const ordinary = places(concurrentHashes + queuedLogins, loginsPerSource)
  const reserved = places(knownBrowserLogins, knownBrowserLoginsPerAccount)
  const hash = pLimit(concurrentHashes)
  return {
    admit({ source, knownAccount }, work) {
      const release = ordinary(source) ?? (knownAccount === undefined ? undefined : reserved(knownAccount))
      return release && work().finally(release)
    },
    hash,
    inProgress: () => hash.activeCount + hash.pendingCount,
  }
}

/** Returns a function that takes a place for a key. It returns how to release the place, or undefined if none is free. */
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

/** Reads that run at the same time, in total and for one access token. One token always leaves a place for the others. */
const concurrentReads = 3
const concurrentReadsPerToken = 2

/** Reads that run or wait, in total and for one access token. Further reads are refused. */
const admittedReads = 64
const admittedReadsPerToken = 10

/** Which limit refused a read. That of the partner is in `resource/expensive-read.ts`. */
export type ReadRefusal = { kind: 'refused'; bound: 'token' | 'partner' | 'server' }

/**
 * Limits the reads whose cost depends on the data: searches, and syncs over a long log of changes. Without it, one token with a
 * few parallel searches could use all of the database's CPU.
 */
export type ExpensiveReadLimiter = {
  /** Runs a read when it is its turn, or refuses it at once. `connectionKey`: reads with the same key share a limit. */
  admit<T>(connectionKey: string, read: () => Promise<T>): Promise<T> | ReadRefusal
  /** Reads that run or wait for their turn. */
  inProgress(): number
}

export function expensiveReadLimiter(): ExpensiveReadLimiter {
  const reads = pLimit(concurrentReads)
  const byToken = new Map<string, { admitted: number; turn: ReturnType<typeof pLimit> }>()
  let admitted = 0
  return {
    inProgress: () => admitted,
    admit(connectionKey, read) {
      const token = byToken.get(connectionKey) ?? { admitted: 0, turn: pLimit(concurrentReadsPerToken) }
      if (token.admitted >= admittedReadsPerToken) return { kind: 'refused', bound: 'token' }
      if (admitted >= admittedReads) return { kind: 'refused', bound: 'server' }
      byToken.set(connectionKey, token)
      token.admitted += 1
      admitted += 1
      return token
        .turn(() => reads(read))
        .finally(() => {
          token.admitted -= 1
          admitted -= 1
          if (token.admitted === 0) byToken.delete(connectionKey)
        })
    },
  }
}

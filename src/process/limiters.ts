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

type ReadBounds = {
  /** Reads that run at the same time, in total and for one key. */
  running: number
  runningPerKey: number
  /** Reads that run or wait, in total and for one key. Further reads are refused. */
  admitted: number
  admittedPerKey: number
}

/** For the keys of access tokens. One token always leaves a place for the others. */
const readsOfTokens: ReadBounds = { running: 3, runningPerKey: 2, admitted: 64, admittedPerKey: 10 }

/**
 * For the client ids of applications whose developers read. Of the three connections, one is always left for the partners' API.
 * A page reads once, so that few wait.
 */
const readsOfDevelopers: ReadBounds = { running: 2, runningPerKey: 1, admitted: 16, admittedPerKey: 4 }

/** Which limit refused a read. That of the partner is in `resource/expensive-read.ts`. */
export type ReadRefusal = { kind: 'refused'; bound: 'token' | 'partner' | 'server' }

/**
 * Limits the reads whose cost depends on the data: searches, and syncs over a long log of changes. Without it, one token with a
 * few parallel searches could use all of the database's CPU.
 */
export type ExpensiveReadLimiter = {
  /** Runs a read when it is its turn, or refuses it at once. Reads with the same key share a limit. */
  admit<T>(key: string, read: () => Promise<T>): Promise<T> | ReadRefusal
  /** Reads that run or wait for their turn. */
  inProgress(): number
}

/** For the expensive reads of the partners' API. A key is that of a connection. */
export function expensiveReadLimiter(): ExpensiveReadLimiter {
  return readLimiter(readsOfTokens)
}

/** For those of the developer API and of the developer pages, together. A key is a client id. */
export function developerReadLimiter(): ExpensiveReadLimiter {
  return readLimiter(readsOfDevelopers)
}

function readLimiter(bounds: ReadBounds): ExpensiveReadLimiter {
  const reads = pLimit(bounds.running)
  const byKey = new Map<string, { admitted: number; turn: ReturnType<typeof pLimit> }>()
  let admitted = 0
  return {
    inProgress: () => admitted,
    admit(key, read) {
      const ofKey = byKey.get(key) ?? { admitted: 0, turn: pLimit(bounds.runningPerKey) }
      if (ofKey.admitted >= bounds.admittedPerKey) return { kind: 'refused', bound: 'token' }
      if (admitted >= bounds.admitted) return { kind: 'refused', bound: 'server' }
      byKey.set(key, ofKey)
      ofKey.admitted += 1
      admitted += 1
      return ofKey
        .turn(() => reads(read))
        .finally(() => {
          ofKey.admitted -= 1
          admitted -= 1
          if (ofKey.admitted === 0) byKey.delete(key)
        })
    },
  }
}

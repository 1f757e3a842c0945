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

/** Reads at once, in all and of one access token, so that one token leaves a place to the others. */
const concurrentReads = 3
const concurrentReadsPerToken = 2

/** Reads that run or wait, in all and of one access token. More are refused. */
const admittedReads = 64
const admittedReadsPerToken = 10

/** Which of the two bounds refused a read. */
export type ReadRefusal = { kind: 'refused'; bound: 'token' | 'server' }

/**
 * Bounds the reads whose cost depends on the data: searches, and pages behind many entries. Without it one token with a
 * few parallel searches would use all of the database's CPU.
 */
export type ExpensiveReadLimiter = {
  /** Runs a read in its turn, or refuses it at once. The token may be invalid: only the statement can tell. */
  admit<T>(tokenHash: Buffer, read: () => Promise<T>): Promise<T> | ReadRefusal
}

export function expensiveReadLimiter(): ExpensiveReadLimiter {
  const reads = pLimit(concurrentReads)
  const byToken = new Map<string, { admitted: number; turn: ReturnType<typeof pLimit> }>()
  let admitted = 0
  return {
    admit(tokenHash, read) {
      const key = tokenHash.toString('base64')
      const token = byToken.get(key) ?? { admitted: 0, turn: pLimit(concurrentReadsPerToken) }
      if (token.admitted >= admittedReadsPerToken) return { kind: 'refused', bound: 'token' }
      if (admitted >= admittedReads) return { kind: 'refused', bound: 'server' }
      byToken.set(key, token)
      token.admitted += 1
      admitted += 1
      return token
        .turn(() => reads(read))
        .finally(() => {
          token.admitted -= 1
          admitted -= 1
          if (token.admitted === 0) byToken.delete(key)
        })
    },
  }
}

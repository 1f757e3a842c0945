import type { Database } from '../database/database.ts'
import { takeLeases } from './limits.sql.ts'

/** All quotas are for a minute of the database's clock. */
export const windowSeconds = 60

/**
 * `key` names what is counted, the same on every server. `most`: how many requests all servers may admit in a window.
 * `unleased`: how many of them each server may admit without a lease, so that a user who calls rarely costs no statement. If
 * a server uses them when the other servers have used up the quota, they exceed it.
 */
export type Demand = { key: string; most: number; unleased: number }

/** What a server knows of a quota in the current window. */
type Quota = {
  most: number
  /** Requests that may still be admitted without a lease. */
  unleased: number
  /** Requests that were admitted without a lease and not yet reported to the database. */
  unreported: number
  /** Requests that may be admitted on leases. */
  leased: number
  /** About how many requests all servers may still admit. */
  remaining: number
  /** The database had nothing left to lease. */
  exhausted: boolean
  /** Requests that wait for the lease. */
  waiting: number
  /** The lease that is being taken. Resolves when it has come. */
  lease?: Promise<void>
}

/** `quotas` are those of the demands, in the same order. */
export type Taken = { kind: 'taken' | 'refused'; window: number; quotas: Quota[] }

type Wanted = { key: string; quota: Quota; resolve(): void; reject(error: unknown): void }

/** The share of a quota that a server leases at once, unless more requests wait. */
const leaseShare = 1 / 60

/**
 * Counts requests against quotas that all servers share. A server leases a part of the quota from the database, counts in
 * memory, and takes the next lease in the background when half of this one is used (docs/adr/0025). What is not used at
 * the end of the window is lost.
 */
export class Quotas {
  readonly #database: Pick<Database, 'run'>
  readonly #now: () => Date
  /** Milliseconds by which the database's clock is ahead of the server's. */
  #ahead = Number.NaN
  #window = 0
  /** Those of the current window. A window has fewer entries than the server has answered requests in it. */
  #quotas = new Map<string, Quota>()
  #wanted: Wanted[] = []

  constructor(database: Pick<Database, 'run'>, now: () => Date) {
    this.#database = database
    this.#now = now
  }

  /**
   * Takes one request of each quota, or none if one of them has none left.
   * @throws {DatabaseUnavailable} if a lease is needed and cannot be taken
   */
  async take(demands: Demand[]): Promise<Taken> {
    for (;;) {
      const window = this.#currentWindow()
      const quotas = demands.map((demand) => this.#quotaOf(demand))
      const usedUp = quotas.filter(isUsedUp)
      for (const quota of usedUp) quota.remaining = 0
      if (usedUp.length > 0) return { kind: 'refused', window, quotas }
      const empty = quotas.filter((quota) => available(quota) === 0)
      if (empty.length === 0) {
        for (const [n, quota] of quotas.entries()) this.#takeOne(demands[n]?.key ?? '', quota)
        return { kind: 'taken', window, quotas }
      }
      await Promise.all(
        demands.map(({ key }, n) => {
          const quota = quotas[n]
          return quota && available(quota) === 0 ? this.#waitForLease(key, quota) : undefined
        }),
      )
    }
  }

  /** Undoes `take`, for a request that does not count after all. */
  giveBack({ window, quotas }: Taken): void {
    if (window !== this.#currentWindow()) return
    for (const quota of quotas) {
      quota.leased += 1
      quota.remaining += 1
    }
  }

  /** Seconds until the current window ends, rounded up. */
  secondsLeft(): number {
    return windowSeconds - (Math.floor((this.#now().getTime() + this.#ahead) / 1000) % windowSeconds)
  }

  /**
   * Learns the database's clock from an answer of it. The database read its clock before the answer came, so the server is
   * never ahead of it, and the smallest delay is the best estimate. A larger difference means that a clock was set.
   */
  observe(databaseNow: Date): void {
    const ahead = databaseNow.getTime() - this.#now().getTime()
    const isBetter = !(ahead <= this.#ahead && ahead > this.#ahead - 1000)
    if (isBetter) this.#ahead = ahead
  }

  #currentWindow(): number {
    const window = Math.floor((this.#now().getTime() + this.#ahead) / (windowSeconds * 1000))
    if (window !== this.#window) {
      this.#window = window
      this.#quotas = new Map()
    }
    return window
  }

  #quotaOf({ key, most, unleased }: Demand): Quota {
    const found = this.#quotas.get(key)
    if (found) {
      if (found.most !== most) changeLimit(found, most)
      return found
    }
    const quota: Quota = {
      most,
      unleased,
      unreported: 0,
      leased: 0,
      remaining: most,
      exhausted: false,
      waiting: 0,
    }
    this.#quotas.set(key, quota)
    return quota
  }

  #takeOne(key: string, quota: Quota): void {
    if (quota.unleased > 0) {
      quota.unleased -= 1
      quota.unreported += 1
    } else {
      quota.leased -= 1
    }
    quota.remaining = Math.max(quota.remaining - 1, available(quota))
    const isLow = available(quota) <= Math.floor(leaseOf(quota.most) / 2)
    // If the lease cannot be taken now, a later request takes it, and reports the error if it has to wait for it.
    if (isLow && !quota.exhausted && leaseOf(quota.most) > 1) void this.#lease(key, quota).catch(() => {})
  }

  async #waitForLease(key: string, quota: Quota): Promise<void> {
    quota.waiting += 1
    try {
      await this.#lease(key, quota)
    } finally {
      quota.waiting -= 1
    }
  }

  /** Leases that are wanted in the same turn of the event loop are taken in one statement. */
  #lease(key: string, quota: Quota): Promise<void> {
    quota.lease ??= new Promise<void>((resolve, reject) => {
      if (this.#wanted.push({ key, quota, resolve, reject }) === 1)
        setImmediate(() => void this.#takeLeases())
    }).finally(() => {
      delete quota.lease
    })
    return quota.lease
  }

  /** Never rejects: those who wait for a lease get the error. */
  async #takeLeases(): Promise<void> {
    // A new window may have begun since. In one statement, no key may occur twice.
    const wanted = this.#wanted.filter((one) => this.#quotas.get(one.key) === one.quota || void one.resolve())
    this.#wanted = []
    const reported = wanted.map(({ quota }) => quota.unreported)
    const column = (value: (quota: Quota) => number) => wanted.map(({ quota }) => String(value(quota)))
    const values = [
      wanted.map(({ key }) => key),
      column(({ most }) => most),
      reported.map(String),
      column(({ most, waiting }) => leaseOf(most) + waiting),
    ]
    for (const { quota } of wanted) quota.unreported = 0
    try {
      const rows = new Map((await this.#database.run(takeLeases, values)).map((row) => [row.key, row]))
      for (const { key, quota, resolve } of wanted) {
        const row = rows.get(key)
        if (row) this.#add(key, quota, row)
        resolve()
      }
    } catch (error) {
      for (const [n, { quota, reject }] of wanted.entries()) {
        quota.unreported += reported[n] ?? 0
        reject(error)
      }
    }
  }

  /** If the window of the lease has ended by now, the lease is lost, and those who wait for it take another one. */
  #add(key: string, quota: Quota, row: { now: Date; granted: number; used: number }): void {
    this.observe(row.now)
    const isCurrent = Math.floor(row.now.getTime() / (windowSeconds * 1000)) === this.#currentWindow()
    if (!isCurrent || this.#quotas.get(key) !== quota) return
    quota.leased += row.granted
    quota.exhausted = row.granted === 0
    quota.remaining = Math.max(quota.most - row.used, 0) + available(quota)
  }
}

function leaseOf(most: number): number {
  return Math.max(1, Math.floor(most * leaseShare))
}

function available({ unleased, leased }: Quota): number {
  return unleased + leased
}

function isUsedUp(quota: Quota): boolean {
  return quota.exhausted && available(quota) === 0
}

/** The operator has changed the limit in the middle of a window: the next lease is taken by the new one. */
function changeLimit(quota: Quota, most: number): void {
  quota.remaining = Math.max(quota.remaining + most - quota.most, 0)
  quota.most = most
  quota.exhausted = false
}

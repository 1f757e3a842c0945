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
  /** The lease that is being taken. Resolves when the server has it. */
  lease?: Promise<void>
}

/** `quotas` are those of the demands, in the same order. */
export type Taken = { kind: 'taken' | 'refused'; quotas: Quota[] }

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
   * Takes one request of each quota, or none if one of them has none left. The most specific quota is last and is taken first:
   * a request that it refuses then takes no lease of the others.
   * @throws {DatabaseUnavailable} if a lease is needed and cannot be taken
   */
  async take(demands: Demand[]): Promise<Taken> {
    const taken: Quota[] = []
    for (const demand of demands.toReversed()) {
      const quota = await this.#takeOne(demand)
      if (!quota) {
        this.giveBack(taken)
        return { kind: 'refused', quotas: demands.map((each) => this.#quotaOf(each)) }
      }
      taken.unshift(quota)
    }
    return { kind: 'taken', quotas: taken }
  }

  /** Undoes `take`, for a request that does not count after all. Without effect after the end of the window. */
  giveBack(quotas: Quota[]): void {
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

  /** Forgets the quotas of the last window if it has ended. */
  #beginWindow(): void {
    const window = windowOf(this.#now().getTime() + this.#ahead)
    if (window !== this.#window) this.#quotas = new Map()
    this.#window = window
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

  /** Undefined: none left. */
  async #takeOne(demand: Demand): Promise<Quota | undefined> {
    for (;;) {
      this.#beginWindow()
      const quota = this.#quotaOf(demand)
      if (available(quota) > 0) {
        this.#count(demand.key, quota)
        return quota
      }
      if (quota.exhausted) {
        quota.remaining = 0
        return undefined
      }
      await this.#waitForLease(demand.key, quota)
    }
  }

  /** Counts one request, and takes the next lease in the background if half of this one is used. */
  #count(key: string, quota: Quota): void {
    if (quota.unleased > 0) {
      quota.unleased -= 1
      quota.unreported += 1
    } else {
      quota.leased -= 1
    }
    quota.remaining = Math.max(quota.remaining - 1, available(quota))
    const lease = leaseOf(quota.most)
    const isLow = lease > 1 && available(quota) <= Math.floor(lease / 2)
    // If the lease cannot be taken now, a later request takes it, and reports the error if it has to wait for it.
    if (isLow && !quota.exhausted) void this.#lease(key, quota).catch(() => {})
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
    if (wanted.length === 0) return
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
    this.#beginWindow()
    if (windowOf(row.now.getTime()) !== this.#window || this.#quotas.get(key) !== quota) return
    quota.leased += row.granted
    quota.exhausted = row.granted === 0
    quota.remaining = Math.max(quota.most - row.used, 0) + available(quota)
  }
}

function windowOf(milliseconds: number): number {
  return Math.floor(milliseconds / (windowSeconds * 1000))
}

function leaseOf(most: number): number {
  return Math.max(1, Math.floor(most * leaseShare))
}

function available({ unleased, leased }: Quota): number {
  return unleased + leased
}

/**
 * The operator has changed the limit in the middle of a window. The next lease is taken by the new one, and of a larger lease
 * only as much stays: a lower limit takes effect at once.
 */
function changeLimit(quota: Quota, most: number): void {
  quota.leased = Math.min(quota.leased, leaseOf(most))
  quota.remaining = Math.max(quota.remaining + most - quota.most, 0)
  quota.most = most
  quota.exhausted = false
}

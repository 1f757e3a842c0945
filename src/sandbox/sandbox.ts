import type { FastifyRequest } from 'fastify'
import type { Database } from '../database/database.ts'
import { BackgroundJob } from '../process/background-job.ts'
import { findClock, findSandboxFirm } from './clock.sql.ts'
import { consentCancelledUser, sandboxFirm } from './data.ts'

/** Milliseconds between two looks, until the sandbox is loaded. */
const intervalMs = 5000

/** Looks for loaded data now, and every few seconds until `stop`. */
export async function startedSandbox(database: Database, now: () => Date): Promise<Sandbox> {
  const sandbox = new Sandbox(database, now)
  await sandbox.look()
  sandbox.start()
  return sandbox
}

/** What other slices may ask of the sandbox. Production has no such object (docs/adr/0026). */
export class Sandbox {
  readonly #database: Database
  readonly #now: () => Date
  readonly #job: BackgroundJob
  readonly #secondsAhead = new WeakMap<FastifyRequest, number>()
  #loaded = false
  /** Milliseconds by which the scenario `slow` delays an answer. */
  slowAnswerMs = 5000

  constructor(database: Database, now: () => Date) {
    this.#database = database
    this.#now = now
    this.#job = new BackgroundJob({ everyMs: intervalMs, run: () => this.look(), onError: () => {} })
  }

  /**
   * Looks whether the database has the data of `latchkey sandbox load`. Without it there are no clocks, and no call has to
   * look for one.
   */
  async look(): Promise<void> {
    this.#loaded ||= (await this.#database.maybe(findSandboxFirm, [sandboxFirm])) !== undefined
  }

  /** Looks every few seconds, until `stop`. */
  start(): void {
    this.#job.start()
  }

  stop(): Promise<void> {
    return this.#job.stop()
  }

  get isLoaded(): boolean {
    return this.#loaded
  }

  /** Whether *Connect* answers like *Cancel* for this user. */
  cancelsConsent(userId: string): boolean {
    return userId === consentCancelledUser
  }

  /** The time by the clock of the connection whose token the request presents. Without a token, the server's time. */
  timeOf(request: FastifyRequest): Date {
    return new Date(this.#now().getTime() + this.secondsAheadOf(request) * 1000)
  }

  /** By how many seconds that clock is ahead of the server's. */
  secondsAheadOf(request: FastifyRequest): number {
    return this.#secondsAhead.get(request) ?? 0
  }

  /** Reads the clock of the connection whose token the request presents. */
  async readClock(request: FastifyRequest, locatorHash: Buffer): Promise<void> {
    const clock = this.#loaded ? await this.#database.shortReads.maybe(findClock, [locatorHash]) : undefined
    if (clock) this.#secondsAhead.set(request, clock.seconds_ahead)
  }
}

import type { FastifyRequest } from 'fastify'
import type { Sandbox } from '../context.ts'
import type { Database } from '../database/database.ts'
import type { Environment } from '../environment.ts'
import { BackgroundJob } from '../process/background-job.ts'
import { findSandbox } from './application.sql.ts'
import type { SandboxApplication } from './application.ts'
import { findClock } from './clock.sql.ts'
import { consentCancelledUser, sandboxFirm } from './data.ts'

/** Milliseconds between two looks, until the sandbox is loaded. */
const intervalMs = 5000

/** Production has none. */
export function sandboxFor(
  environment: Environment,
  database: Database,
  now: () => Date,
): SandboxState | undefined {
  return environment === 'sandbox' ? new SandboxState(database, now) : undefined
}

class SandboxState implements Sandbox {
  readonly #database: Database
  readonly #now: () => Date
  readonly #job: BackgroundJob
  readonly #secondsAhead = new WeakMap<FastifyRequest, number>()
  #loaded = false
  #application: SandboxApplication | undefined
  slowAnswerMs = 5000

  constructor(database: Database, now: () => Date) {
    this.#database = database
    this.#now = now
    this.#job = new BackgroundJob({ everyMs: intervalMs, run: () => this.look(), onError: () => {} })
  }

  /** Without the data of `latchkey sandbox load` there are no clocks, and no call has to look for one. */
  async look(): Promise<void> {
    const found = await this.#database.maybe(findSandbox, [sandboxFirm])
    this.#loaded ||= found !== undefined
    const [clientId, clientSecret] = [found?.client_id, found?.client_secret]
    if (clientId === this.#application?.clientId) return
    this.#application = clientId && clientSecret ? { clientId, clientSecret } : undefined
  }

  /** Looks now, and every few seconds until `stop`. */
  async start(): Promise<void> {
    await this.look()
    this.#job.start()
  }

  stop(): Promise<void> {
    return this.#job.stop()
  }

  get isLoaded(): boolean {
    return this.#loaded
  }

  get application(): SandboxApplication | undefined {
    return this.#application
  }

  cancelsConsent(userId: string): boolean {
    return userId === consentCancelledUser
  }

  timeOf(request: FastifyRequest): Date {
    return new Date(this.#now().getTime() + this.secondsAheadOf(request) * 1000)
  }

  secondsAheadOf(request: FastifyRequest): number {
    return this.#secondsAhead.get(request) ?? 0
  }

  async readClock(request: FastifyRequest, locatorHash: Buffer): Promise<void> {
    const clock = this.#loaded ? await this.#database.shortReads.maybe(findClock, [locatorHash]) : undefined
    if (clock) this.#secondsAhead.set(request, clock.seconds_ahead)
  }
}

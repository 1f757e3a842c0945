import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/database.ts'
import { BackgroundJob } from '../process/background-job.ts'
import { leaseSeconds, postponeMessage, removeMessage, type TakenMessage, takeDue } from './outbox.sql.ts'

/** Milliseconds between two looks for messages that are due. */
const pollMs = 1000

/** Attempts of one server at a time. */
const maxConcurrent = 4

/** Seconds after which an attempt is aborted: before its lease ends and another server may begin the next one. */
const attemptSeconds = leaseSeconds - 10

/** Milliseconds that `stop` waits for attempts in progress before it aborts them. */
const stopMs = 5000

/** For the log line of an attempt. They must contain no secret and no personal data. */
type Facts = Record<string, string | number>

export type DeliveryOutcome =
  | { kind: 'delivered'; facts: Facts }
  /** A later attempt may succeed. */
  | { kind: 'failed'; facts: Facts }
  /** No later attempt can succeed. */
  | { kind: 'refused'; facts: Facts }

/** How messages of one kind are delivered. */
export type Channel = {
  /** `outbox.kind`, and `event` in the log. */
  kind: string
  /** Seconds between an attempt that failed and the next one. After the last of them the message is given up. */
  backOffSeconds: readonly number[]
  /** Never rejects. If the signal is aborted, it returns `failed` soon. */
  deliver(
    message: { id: string; payload: unknown; createdAt: Date },
    signal: AbortSignal,
  ): Promise<DeliveryOutcome>
}

type WorkerOptions = {
  database: Database
  logger: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  channel: Channel
}

/**
 * Delivers the messages of one channel (docs/adr/0032). Every server has such a worker. A delivery runs outside of any
 * transaction; a lease keeps the other servers away from its message. If a server dies between the delivery and the
 * deletion of the message, the message is delivered twice, with the same id.
 */
export class OutboxWorker {
  readonly #options: WorkerOptions
  readonly #attempts = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  #stopping = false
  /** Whether the last look failed. A database that is away is reported once, not every second. */
  #isBlind = false
  readonly #job: BackgroundJob

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#job = new BackgroundJob({
      everyMs: pollMs,
      run: () => this.#takeDue(),
      onError: (error) => {
        if (!this.#isBlind) this.#logFault(error)
        this.#isBlind = true
      },
    })
  }

  /** Looks for due messages every second, until `stop`. */
  start(): void {
    this.#job.start()
  }

  /** Begins to deliver what is due. Resolves when the attempts have begun. */
  wake(): Promise<void> {
    return this.#job.run()
  }

  /**
   * Begins no more attempts, and gives those in progress a few seconds. Resolves when the database is no longer needed. An
   * attempt that was aborted is repeated when its lease ends.
   */
  async stop(): Promise<void> {
    this.#stopping = true
    await this.#job.stop()
    const timer = setTimeout(() => this.#stop.abort(), stopMs)
    await Promise.all(this.#attempts)
    clearTimeout(timer)
  }

  async #takeDue(): Promise<void> {
    const { database, channel } = this.#options
    for (;;) {
      const free = maxConcurrent - this.#attempts.size
      if (this.#stopping || free <= 0) return
      const taken = await database.run(takeDue, [channel.kind, free])
      this.#isBlind = false
      for (const message of taken) this.#begin(message)
      if (taken.length < free) return
    }
  }

  #begin(message: TakenMessage): void {
    const attempt = this.#attempt(message)
      .catch((error) => this.#logFault(error))
      .finally(() => {
        this.#attempts.delete(attempt)
        if (!this.#stopping) this.wake().catch(() => {}) // the next look reports it
      })
    this.#attempts.add(attempt)
  }

  async #attempt(message: TakenMessage): Promise<void> {
    const { database, channel } = this.#options
    const { id, attempts } = message
    const outcome = await this.#deliver(message)
    const pause = channel.backOffSeconds[attempts - 1]
    if (outcome.kind === 'delivered') {
      this.#log('info', 'delivered', message, outcome.facts)
      await database.run(removeMessage, [id])
    } else if (this.#stop.signal.aborted) {
      this.#log('warn', 'interrupted', message, outcome.facts)
    } else if (outcome.kind === 'refused' || pause === undefined) {
      this.#log('error', 'given_up', message, outcome.facts)
      await database.run(removeMessage, [id])
    } else {
      this.#log('warn', 'failed', message, outcome.facts)
      await database.run(postponeMessage, [id, attempts, pause])
    }
  }

  async #deliver({ id, payload, attempts, created_at, is_expired }: TakenMessage): Promise<DeliveryOutcome> {
    const { channel } = this.#options
    if (is_expired) return { kind: 'refused', facts: { reason: 'expired' } }
    // If a message crashes the server that delivers it, it must not crash one server after the other.
    if (attempts > channel.backOffSeconds.length + 1)
      return { kind: 'refused', facts: { reason: 'attempts' } }
    const signal = AbortSignal.any([AbortSignal.timeout(attemptSeconds * 1000), this.#stop.signal])
    return channel.deliver({ id, payload, createdAt: created_at }, signal)
  }

  #log(
    level: 'info' | 'warn' | 'error',
    outcome: string,
    { id, attempts }: TakenMessage,
    facts: Facts,
  ): void {
    const { logger, channel } = this.#options
    logger[level]({ event: channel.kind, outcome, message_id: id, attempts, ...facts })
  }

  #logFault(error: unknown): void {
    const { logger, channel } = this.#options
    logger.error({ event: channel.kind, outcome: 'outbox_unavailable', error })
  }
}

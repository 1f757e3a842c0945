import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/database.ts'
import { PollingWorker } from '../process/polling-worker.ts'
import { leaseSeconds, postponeMessage, removeMessage, type TakenMessage, takeDue } from './outbox.sql.ts'

const polling = { pollMs: 1000, maxConcurrent: 4 }

/** Seconds after which an attempt is aborted: before its lease ends and another server may begin the next one. */
const attemptSeconds = leaseSeconds - 10

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
 * transaction. If a server dies between the delivery and the deletion of the message, the message is delivered twice, with the
 * same id.
 */
export class OutboxWorker extends PollingWorker<TakenMessage> {
  readonly #options: WorkerOptions

  constructor(options: WorkerOptions) {
    super(polling)
    this.#options = options
  }

  protected take(free: number): Promise<TakenMessage[]> {
    const { database, channel } = this.#options
    return database.run(takeDue, [channel.kind, free])
  }

  protected async attempt(message: TakenMessage, stop: AbortSignal): Promise<void> {
    const { database, channel } = this.#options
    const { id, attempts } = message
    const outcome = await this.#deliver(message, stop)
    const pause = channel.backOffSeconds[attempts - 1]
    if (outcome.kind === 'delivered') {
      this.#log('info', 'delivered', message, outcome.facts)
      await database.run(removeMessage, [id])
    } else if (stop.aborted) {
      this.#log('warn', 'interrupted', message, outcome.facts)
    } else if (outcome.kind === 'refused' || pause === undefined) {
      this.#log('error', 'given_up', message, outcome.facts)
      await database.run(removeMessage, [id])
    } else {
      this.#log('warn', 'failed', message, outcome.facts)
      await database.run(postponeMessage, [id, attempts, pause])
    }
  }

  async #deliver(message: TakenMessage, stop: AbortSignal): Promise<DeliveryOutcome> {
    const { id, payload, attempts, created_at, is_expired } = message
    const { channel } = this.#options
    if (is_expired) return { kind: 'refused', facts: { reason: 'expired' } }
    // If a message crashes the server that delivers it, it must not crash one server after the other.
    if (attempts > channel.backOffSeconds.length + 1)
      return { kind: 'refused', facts: { reason: 'attempts' } }
    const signal = AbortSignal.any([AbortSignal.timeout(attemptSeconds * 1000), stop])
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

  protected logError(error: unknown): void {
    const { logger, channel } = this.#options
    logger.error({ event: channel.kind, outcome: 'outbox_unavailable', error })
  }
}

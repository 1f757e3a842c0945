import type { FastifyBaseLogger } from 'fastify'
import { originValue, systemOrigin } from '../audit/origin.ts'
import type { Database } from '../database/database.ts'
import { BackgroundJob } from '../process/background-job.ts'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import type { GuardSettings } from './address-guard.ts'
import { type Attempt, type AttemptOutcome, attemptDelivery } from './deliver.ts'
import { recordDelivery, recordFailure, type TakenMessage, takeDueMessages } from './queue.sql.ts'
import { signatures } from './signing.ts'

/** Milliseconds between two polls for messages that are due. */
const pollMs = 500

/** Attempts of one server at a time. Each needs a socket and little else. */
const maxConcurrent = 256

/** Seconds between an attempt that failed and the next one: the schedule of Svix. After the last one the message is given up. */
export const scheduleSeconds = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 10 * 3600]

/** A receiver may ask for a longer pause, in seconds. */
const longestRetryAfter = 3600

/** Milliseconds that `stop` waits for attempts in progress before it aborts them. */
const stopMs = 5000

type WorkerOptions = {
  database: Database
  keys: SecretKeys
  logger: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  settings: GuardSettings
  /** Whether developers get a mail when their endpoint is disabled. */
  sendsMails: boolean
  /** Called after each attempt. */
  count?: (outcome: AttemptOutcome) => void
  /** Called for each event that the first attempt has delivered, with the seconds since the event. */
  observeDelay?: (seconds: number) => void
}

/**
 * Delivers webhooks (docs/adr/0043). Every server has such a worker. An attempt runs outside of any transaction; a lease keeps the
 * other servers away from its message. If a server dies between the answer of the receiver and the record of it, the message is
 * delivered twice, with the same id.
 */
export class WebhookWorker {
  readonly #options: WorkerOptions
  readonly #attempts = new Set<Promise<void>>()
  /** Attempts in progress of each endpoint. */
  readonly #busy = new Map<string, number>()
  readonly #stop = new AbortController()
  #stopping = false
  /** Whether there may be messages that the poll in progress does not see. */
  #pollAgain = false
  /** Whether the last poll failed. A database that is away is reported once, not twice a second. */
  #pollFailed = false
  readonly #job: BackgroundJob

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#job = new BackgroundJob({
      everyMs: pollMs,
      run: () => this.#takeDue(),
      onError: (error) => {
        if (!this.#pollFailed) this.#logFault(error)
        this.#pollFailed = true
      },
    })
  }

  /** Polls for due messages twice a second, until `stop`. */
  start(): void {
    this.#job.start()
  }

  /** Begins to deliver what is due. Resolves when the attempts have begun. */
  wake(): Promise<void> {
    this.#pollAgain = true
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
    do {
      this.#pollAgain = false
      const free = maxConcurrent - this.#attempts.size
      if (this.#stopping || free <= 0) return
      const busy = [...this.#busy]
      const taken = await this.#options.database.run(takeDueMessages, [
        busy.map(([id]) => id),
        busy.map(([, attempts]) => String(attempts)),
        free,
      ])
      this.#pollFailed = false
      for (const message of taken) this.#begin(message)
    } while (this.#pollAgain)
  }

  #begin(message: TakenMessage): void {
    const { endpoint_id: endpoint } = message
    this.#busy.set(endpoint, (this.#busy.get(endpoint) ?? 0) + 1)
    const attempt = this.#attempt(message)
      .catch((error) => {
        if (!this.#stop.signal.aborted) this.#logFault(error)
      })
      .finally(() => {
        this.#attempts.delete(attempt)
        this.#leave(endpoint)
        if (!this.#stopping) this.wake().catch(() => {}) // the next poll reports it
      })
    this.#attempts.add(attempt)
  }

  #leave(endpoint: string): void {
    const attempts = (this.#busy.get(endpoint) ?? 1) - 1
    if (attempts > 0) this.#busy.set(endpoint, attempts)
    else this.#busy.delete(endpoint)
  }

  async #attempt(message: TakenMessage): Promise<void> {
    const { keys, settings } = this.#options
    const startedAt = performance.now()
    const delivery = request(message, keys)
    const attempt = delivery
      ? await attemptDelivery(message.url, delivery, settings, this.#stop.signal)
      : secretUnreadable
    this.#options.count?.(attempt.outcome)
    await this.#record(message, attempt, Math.round(performance.now() - startedAt))
  }

  async #record(message: TakenMessage, attempt: Attempt, ms: number): Promise<void> {
    const { database, logger, sendsMails, observeDelay } = this.#options
    const { id, attempts } = message
    const { outcome, status, fault, response } = attempt
    const values = [id, attempts, ms, status, fault, response]
    if (outcome === 'delivered') {
      const row = await database.maybe(recordDelivery, values)
      if (typeof row?.delay_seconds === 'number') observeDelay?.(row.delay_seconds)
      return
    }
    const pause = pauseAfter(message, attempt)
    const origin = originValue(systemOrigin)
    const row = await database.maybe(recordFailure, [...values, pause, status === 410, origin, sendsMails])
    const line = {
      event: 'webhook',
      message_id: id,
      endpoint_id: message.endpoint_id,
      attempts,
      reason: outcome,
    }
    if (row?.is_given_up) logger.warn({ ...line, outcome: 'given_up' })
    if (row?.is_disabled) logger.warn({ ...line, outcome: 'endpoint_disabled' })
  }

  #logFault(error: unknown): void {
    this.#options.logger.error({ event: 'webhook', outcome: 'outbox_unavailable', error })
  }
}

/** Only a new secret helps. Without a record of the attempt, the partner would not learn that, and the endpoint would never be disabled. */
const secretUnreadable: Attempt = {
  outcome: 'secret',
  status: null,
  fault: 'The signing secret cannot be read. Rotate it.',
  response: null,
}

/** Seconds until the next attempt. Null: there is none. */
function pauseAfter({ failures }: TakenMessage, { retryAfter = 0 }: Attempt): number | null {
  const pause = scheduleSeconds[failures]
  return pause === undefined ? null : Math.max(pause, Math.min(retryAfter, longestRetryAfter))
}

/**
 * A delivery as the Standard Webhooks specification defines it. The body is the same in each attempt. The timestamp in the header is
 * that of the attempt, because receivers refuse old ones. Undefined: it cannot be signed.
 */
function request({ id, type, data, created_at: createdAt, secrets }: TakenMessage, keys: SecretKeys) {
  const body = JSON.stringify({ type, timestamp: createdAt.toISOString(), data })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = signatures(keys, secrets, `msg_${id}.${timestamp}.${body}`)
  if (signature === undefined) return undefined
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Latchkey-Webhooks',
    'webhook-id': `msg_${id}`,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  }
  return { headers, body }
}

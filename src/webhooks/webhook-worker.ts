import type { FastifyBaseLogger } from 'fastify'
import { originValue, systemOrigin } from '../audit/origin.ts'
import type { Database } from '../database/database.ts'
import { PollingWorker } from '../process/polling-worker.ts'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import type { GuardSettings } from './address-guard.ts'
import { type Attempt, type AttemptOutcome, attemptDelivery } from './deliver.ts'
import { endLeases, recordDelivery, recordFailure, type TakenMessage, takeDueMessages } from './queue.sql.ts'
import { signatures } from './signing.ts'

/** An attempt needs a socket and little else. */
const polling = { pollMs: 500, maxConcurrent: 256 }

/**
 * Seconds between an attempt that failed and the next one: the schedule of Svix. After the last one the message is given up.
 */
export const scheduleSeconds = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 10 * 3600]

/** A receiver may ask for a longer pause, in seconds. */
const longestRetryAfter = 3600

type WorkerOptions = {
  /** Names the server. It keeps its name when it is started again. */
  server: string
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
 * Delivers webhooks (docs/adr/0043). Every server has such a worker. An attempt runs outside of any transaction. If a server
 * dies between the answer of the receiver and the record of it, the message is delivered twice, with the same id.
 */
export class WebhookWorker extends PollingWorker<TakenMessage> {
  readonly #options: WorkerOptions
  /** Attempts in progress of each endpoint. */
  readonly #busy = new Map<string, number>()
  #started = false
  /** Whether a server of this name may have been killed during attempts. */
  #mayHaveLeases = false

  constructor(options: WorkerOptions) {
    super(polling)
    this.#options = options
  }

  /** Call it when the server listens: then no other process has its name. */
  override start(): void {
    this.#started = true
    this.#mayHaveLeases = true
    super.start()
  }

  /** Call it while the server has its port. Leases of a server that never started are those of another process. */
  override async stop(): Promise<void> {
    await super.stop()
    if (this.#started) await this.#endLeases().catch((error) => this.logError(error))
  }

  protected async take(free: number): Promise<TakenMessage[]> {
    const { database, server } = this.#options
    if (this.#mayHaveLeases) await this.#endLeases()
    this.#mayHaveLeases = false
    const busy = [...this.#busy]
    return database.run(takeDueMessages, [
      busy.map(([id]) => id),
      busy.map(([, attempts]) => String(attempts)),
      free,
      server,
    ])
  }

  async #endLeases(): Promise<void> {
    await this.#options.database.run(endLeases, [this.#options.server])
  }

  protected async attempt(message: TakenMessage, stop: AbortSignal): Promise<void> {
    const { endpoint_id: endpoint } = message
    this.#busy.set(endpoint, (this.#busy.get(endpoint) ?? 0) + 1)
    try {
      await this.#deliver(message, stop)
    } finally {
      this.#leave(endpoint)
    }
  }

  #leave(endpoint: string): void {
    const attempts = (this.#busy.get(endpoint) ?? 1) - 1
    if (attempts > 0) this.#busy.set(endpoint, attempts)
    else this.#busy.delete(endpoint)
  }

  async #deliver(message: TakenMessage, stop: AbortSignal): Promise<void> {
    const { keys, settings } = this.#options
    const startedAt = performance.now()
    const delivery = request(message, keys)
    const attempt = delivery ? await attemptDelivery(message.url, delivery, settings, stop) : secretUnreadable
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

  protected logError(error: unknown): void {
    this.#options.logger.error({ event: 'webhook', outcome: 'outbox_unavailable', error })
  }
}

/**
 * Only a new secret helps. Without a record of the attempt, the partner would not learn that, and the endpoint would never be
 * disabled.
 */
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
 * A delivery as the Standard Webhooks specification defines it. The body is the same in each attempt. The timestamp in the
 * header is that of the attempt, because receivers refuse old ones. Undefined: it cannot be signed.
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

import type { FastifyBaseLogger } from 'fastify'
import type { Database, Value } from '../database/database.ts'
import { BackgroundJob } from '../process/background-job.ts'
import { sourceOf } from '../process/source.ts'
import type { Static } from '../typebox.ts'
import { addRequests, numberKinds, type RequestKind } from './write-requests.sql.ts'

/** Milliseconds between two writes. With the time of a write, a process that is killed loses less than five seconds. */
const intervalMs = 4000

/** Calls that wait for the database at most, and the number that is written without waiting for more. */
const mostWaiting = 20_000
const fullBatch = 1000

/**
 * Calls in a minute whose callers have not proved who they are: of all, and of one source. Strangers must not fill the log, and
 * one of them must not hide the calls of others.
 */
const mostUnproved = 1000
const mostUnprovedOfSource = 100
const minuteMs = 60_000

/** Kinds of calls that the process remembers. There are a few hundred. */
const mostKinds = 5000

/** A call of the API or of a token endpoint. */
export type LoggedCall = Static<typeof RequestKind> & {
  /** Milliseconds since 1970, when the answer was sent. */
  at: number
  ms: number
  requestId: string
  grantId: string | null
  /** If the grant is not known: of the access token that the call presented, in hex. It is not stored: it finds the grant. */
  locatorHash?: string | undefined
  /** What the caller calls itself, if it is not known. Kept only if a partner has this client_id. */
  claimedClientId?: string | undefined
  clientId: string | null
  /** Of the error. */
  detail: string | null
}

/**
 * Records calls. Answers do not wait for it: calls are kept in memory and written every few seconds. If the database cannot be
 * reached, or calls come faster than they can be written, the latest are dropped and counted.
 */
export class RequestLog {
  readonly #database: Database
  readonly #logger: FastifyBaseLogger
  readonly #job: BackgroundJob
  readonly #kinds = new Map<string, string>()
  #waiting: { call: LoggedCall; at: number }[] = []
  /** Microseconds. Calls of one process have different instants, so that a list can go on after each. */
  #last = 0
  #dropped = 0
  #unproved = { minute: 0, calls: 0, bySource: new Map<string, number>() }

  constructor(database: Database, logger: FastifyBaseLogger) {
    this.#database = database
    this.#logger = logger
    // A write never rejects, so there is no error to handle.
    this.#job = new BackgroundJob({ everyMs: intervalMs, run: () => this.#writeBatches(), onError: () => {} })
  }

  /** Writes every few seconds until `stop`. */
  start(): void {
    this.#job.start()
  }

  /** @param address the IP address of the caller, which is not stored */
  add(call: LoggedCall, address: string): void {
    if (
      this.#waiting.length >= mostWaiting ||
      !(call.authenticated || this.#mayAddUnproved(call.at, address))
    ) {
      this.#dropped += 1
      return
    }
    this.#last = Math.max(this.#last + 1, call.at * 1000)
    this.#waiting.push({ call, at: this.#last })
    if (this.#waiting.length === fullBatch) void this.#job.run()
  }

  /** Writes all calls so far. Runs twice, because the current run may lack the latest calls. Never rejects. */
  async write(): Promise<void> {
    await this.#job.run()
    await this.#job.run()
  }

  /** Writes the remaining calls. Resolves when the database is no longer needed. */
  async stop(): Promise<void> {
    await this.#job.stop()
    await this.write()
  }

  #mayAddUnproved(at: number, address: string): boolean {
    const minute = Math.floor(at / minuteMs)
    if (minute !== this.#unproved.minute) this.#unproved = { minute, calls: 0, bySource: new Map() }
    if (this.#unproved.calls >= mostUnproved) return false
    const source = sourceOf(address)
    const ofSource = (this.#unproved.bySource.get(source) ?? 0) + 1
    if (ofSource > mostUnprovedOfSource) return false
    this.#unproved.bySource.set(source, ofSource)
    this.#unproved.calls += 1
    return true
  }

  async #writeBatches(): Promise<void> {
    if (this.#dropped > 0)
      this.#logger.warn({ event: 'request_log', outcome: 'dropped', calls: this.#dropped })
    this.#dropped = 0
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, fullBatch)
      try {
        await this.#database.run(addRequests, valuesOf(batch, await this.#kindsOf(batch)))
        this.#waiting.splice(0, batch.length)
      } catch (error) {
        this.#logger.error({
          event: 'request_log',
          outcome: 'not_written',
          calls: this.#waiting.length,
          error,
        })
        return
      }
    }
  }

  /** The id of the kind of each call. */
  async #kindsOf(batch: { call: LoggedCall }[]): Promise<string[]> {
    if (this.#kinds.size > mostKinds) this.#kinds.clear()
    const keys = batch.map(({ call }) => keyOf(call))
    const unknown = new Map<string, LoggedCall>()
    for (const [place, { call }] of batch.entries()) {
      const key = keys[place] ?? ''
      if (!this.#kinds.has(key)) unknown.set(key, call)
    }
    // The second attempt finds the kinds that another server added during the first.
    for (let attempt = 0; attempt < 2 && unknown.size > 0; attempt++) {
      const kinds = [...unknown.values()]
      const column = (of: (kind: LoggedCall) => string | number | boolean) =>
        kinds.map((kind) => String(of(kind)))
      const found = await this.#database.run(numberKinds, [
        column(({ method }) => method),
        column(({ route }) => route),
        column(({ status }) => status),
        column(({ code }) => code),
        column(({ outcome }) => outcome),
        column(({ authenticated }) => authenticated),
      ])
      for (const kind of found) {
        this.#kinds.set(keyOf(kind), String(kind.id))
        unknown.delete(keyOf(kind))
      }
    }
    return keys.map((key) => this.#kinds.get(key) ?? '0')
  }
}

function valuesOf(batch: { call: LoggedCall; at: number }[], kinds: string[]): Value[] {
  return [
    batch.map(({ at }) => String(at)),
    batch.map(({ call }) => call.grantId),
    kinds,
    batch.map(({ call }) => String(call.ms)),
    batch.map(({ call }) => String(call.status)),
    batch.map(({ call }) => call.requestId),
    batch.map(({ call }) => call.clientId),
    batch.map(({ call }) => call.detail),
    batch.map(({ call }) => call.locatorHash ?? null),
    batch.map(({ call }) => call.claimedClientId ?? null),
  ]
}

function keyOf({ method, route, status, code, outcome, authenticated }: Static<typeof RequestKind>): string {
  return `${method} ${route} ${status} ${code} ${outcome} ${authenticated}`
}

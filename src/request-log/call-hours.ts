import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BaseLogger } from 'pino'
import type { Database } from '../database/database.ts'
import { callNotes } from '../http/call-notes.ts'
import { loggedFacts } from '../http/log.ts'
import type { Operation } from '../http/openapi/operation.ts'
import { BackgroundJob } from '../process/background-job.ts'
import {
  addCallHours,
  deprecatedKind,
  durationBounds,
  limitedKind,
  otherKind,
  partnersOfLocators,
} from './call-hours.sql.ts'
import { locatorOfCall, type TokenKeys } from './caller-of-call.ts'

/** Milliseconds between two writes. */
const intervalMs = 5000
const hourMs = 3_600_000

/** Rows that wait for the database at most. A row is an hour of a partner. */
const mostRows = 5000

type Counts = {
  hour: string
  /** Each call has one kind: `otherKind`, `limitedKind`, that of its deprecated operation, or else `read` or `token`. */
  kind: string
  clientId: string
  calls: number
  refused: number
  failed: number
  refreshRefused: number
  slower: number[]
}

type Call = Pick<Counts, 'kind' | 'clientId'> & { status: number; ms: number; isRefresh: boolean }

/** Calls that wait until the partner of their access token is looked up. Further ones count for no partner. */
const mostUnknown = 2000

type UnknownCall = { call: Call; hour: number; locatorHash: string }

/** Counts calls by hour and partner, in memory. Writes the counts every few seconds, so no call waits for the database. */
export class CallHourCounts {
  readonly #database: Pick<Database, 'run'>
  readonly #now: () => Date
  readonly #job: BackgroundJob
  #rows = new Map<string, Counts>()
  #unknown: UnknownCall[] = []

  constructor(database: Pick<Database, 'run'>, logger: BaseLogger, now: () => Date) {
    this.#database = database
    this.#now = now
    this.#job = new BackgroundJob({
      everyMs: intervalMs,
      run: () => this.#write(),
      onError: (error) => logger.error({ event: 'call_hours', outcome: 'not_written', error }),
    })
  }

  start(): void {
    this.#job.start()
  }

  /** @param locatorHash if the partner is not known: SHA-256 of the locator of the access token, in hex */
  add(call: Call, locatorHash?: string): void {
    const hour = Math.floor(this.#now().getTime() / hourMs)
    if (locatorHash === undefined || this.#unknown.length >= mostUnknown) this.#count(call, hour)
    else this.#unknown.push({ call, hour, locatorHash })
  }

  #count({ kind, clientId, status, ms, isRefresh }: Call, hour: number): void {
    const row = this.#rowOf(hour, kind, clientId)
    if (!row) return
    row.calls += 1
    if (status >= 500) row.failed += 1
    else if (status >= 400) {
      row.refused += 1
      if (isRefresh) row.refreshRefused += 1
    }
    const found = durationBounds.findIndex((bound) => ms <= bound)
    const place = found === -1 ? durationBounds.length : found
    row.slower[place] = (row.slower[place] ?? 0) + 1
  }

  /** Writes all counts so far. */
  write(): Promise<void> {
    return this.#job.run()
  }

  /** Writes the rest. Resolves when the database is no longer needed. */
  async stop(): Promise<void> {
    await this.#job.stop()
    await this.#write().catch(() => {}) // the database is away: the counts of the last seconds are lost
  }

  #rowOf(hour: number, kind: string, clientId: string): Counts | undefined {
    const key = `${hour} ${kind} ${clientId}`
    const known = this.#rows.get(key)
    if (known || this.#rows.size >= mostRows) return known
    const row: Counts = {
      hour: new Date(hour * hourMs).toISOString(),
      ...{ kind, clientId, calls: 0, refused: 0, failed: 0, refreshRefused: 0 },
      slower: Array.from({ length: durationBounds.length + 1 }, () => 0),
    }
    this.#rows.set(key, row)
    return row
  }

  /** Counts the calls whose partner was not known for the partner of their access token. */
  async #lookUp(): Promise<void> {
    if (this.#unknown.length === 0) return
    const locators = [...new Set(this.#unknown.map(({ locatorHash }) => locatorHash))]
    const found = await this.#database.run(partnersOfLocators, [locators])
    const partners = new Map(found.map((row) => [row.locator_hash, row.client_id]))
    for (const { call, hour, locatorHash } of this.#unknown.splice(0)) {
      this.#count({ ...call, clientId: partners.get(locatorHash) ?? '' }, hour)
    }
  }

  async #write(): Promise<void> {
    await this.#lookUp()
    if (this.#rows.size === 0) return
    const taken = this.#rows
    this.#rows = new Map()
    const rows = [...taken.values()]
    const column = (of: (row: Counts) => string | number) => rows.map((row) => String(of(row)))
    try {
      await this.#database.run(addCallHours, [
        column(({ hour }) => hour),
        column(({ kind }) => kind),
        column(({ clientId }) => clientId),
        column(({ calls }) => calls),
        column(({ refused }) => refused),
        column(({ failed }) => failed),
        column(({ refreshRefused }) => refreshRefused),
        column(({ slower }) => `{${slower.join(',')}}`),
      ])
    } catch (error) {
      this.#keep(taken)
      throw error
    }
  }

  /** The next write adds them. */
  #keep(rows: Map<string, Counts>): void {
    for (const [key, row] of rows) {
      const newer = this.#rows.get(key)
      if (newer) {
        row.calls += newer.calls
        row.refused += newer.refused
        row.failed += newer.failed
        row.refreshRefused += newer.refreshRefused
        row.slower = row.slower.map((count, n) => count + (newer.slower[n] ?? 0))
      }
      this.#rows.set(key, row)
    }
  }
}

/** Counts every operation of the API and of the token endpoints, when its answer has been sent. */
export function countCalls(app: FastifyInstance, context: TokenKeys & { callHours: CallHourCounts }): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { operation } = request.routeOptions.config
    if (operation !== undefined) {
      const facts = loggedFacts(request)
      const isUnproved = callNotes(request)?.isAuthenticated === false
      // Without proof, a caller could name any partner, and fill the table.
      const clientId = isUnproved ? '' : (facts?.client_id ?? '')
      const isUnknown = clientId === '' && reply.statusCode >= 400
      const call = {
        kind: kindOf(request, operation, reply.statusCode),
        clientId,
        status: reply.statusCode,
        ms: reply.elapsedTime,
        isRefresh: isTokenEndpoint(request) && isRefresh(request),
      }
      context.callHours.add(call, isUnknown ? locatorOfCall(context, request) : undefined)
    }
    done()
  })
}

function kindOf(request: FastifyRequest, { deprecated, operationId }: Operation, status: number): string {
  const isToken = isTokenEndpoint(request)
  const isOfPartners = isToken || request.routeOptions.url?.includes('/api/')
  if (!isOfPartners || callNotes(request)?.isSimulated) return otherKind
  if (status === 429) return limitedKind
  if (deprecated) return deprecatedKind(operationId)
  return isToken ? 'token' : 'read'
}

function isTokenEndpoint({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.includes('/oauth2/') === true
}

function isRefresh({ body }: FastifyRequest): boolean {
  return (
    typeof body === 'object' && body !== null && 'grant_type' in body && body.grant_type === 'refresh_token'
  )
}

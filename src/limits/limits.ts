import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import type { LimitSettings } from '../limit-settings.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import { BackgroundJob } from '../process/background-job.ts'
import { FailureLimiter } from './failures.ts'
import { findCredential, readLimits } from './limits.sql.ts'
import { type Demand, Quotas, type Taken } from './quotas.ts'

/** How often each server reads the limits of all partners, in milliseconds. */
const refreshMs = 5000

/** Bounds of the memory. */
const mostCallers = 50_000
const mostCredentials = 10_000

/** Each server may admit this share of the quota of one user or connection without a lease. */
const unleasedShare = 1 / 40

export type Caller = { clientId: string; userId: string }

type Policy = { name: 'partner' | 'user' | 'token' | 'refresh'; most: number }

/** The decision on one request that counts, with the policies that apply to it. */
export type Admission = { policies: Policy[]; taken: Taken; secondsLeft: number }

/** A call that was counted before its statement, by the hint whose token it carries. */
export type EarlyAdmission = { caller: Caller; admission: Admission }

type LimitsOptions = {
  database: Database
  config: Pick<Config, 'limits' | 'failuresPerMinute'>
  /** The server's clock. */
  now: () => Date
  logger: Pick<FastifyBaseLogger, 'error'>
}

/**
 * The limits of the partners. Every server reads them every few seconds. Only authenticated requests count. Who sends a
 * request is known before its statement if the same token or credential was accepted before: this is a hint, which can
 * refuse a request and never accept one (docs/adr/0025).
 */
export class Limits {
  readonly failures: FailureLimiter
  readonly #options: LimitsOptions
  readonly #quotas: Quotas
  readonly #job: BackgroundJob
  #byPartner = new Map<string, LimitSettings>()
  /** Whether any partner has a limit for expensive reads. */
  #limitsExpensiveReads: boolean
  /**
   * Whose token it is, by `BearerToken.value`. Not by connection: an ended token of a live connection must count for no
   * partner.
   */
  readonly #callers = new Map<string, Caller>()
  /** Credentials that have authenticated a client. */
  readonly #credentials = new Map<string, true>()

  constructor(options: LimitsOptions) {
    this.#options = options
    this.#limitsExpensiveReads = options.config.limits.expensive_reads !== undefined
    this.failures = new FailureLimiter(options.config.failuresPerMinute)
    this.#quotas = new Quotas(options.database, options.now)
    this.#job = new BackgroundJob({
      everyMs: refreshMs,
      run: () => this.#load(),
      onError: (error) => options.logger.error(error, 'the limits could not be refreshed'),
    })
  }

  /** Reads the limits now. @throws {DatabaseUnavailable} */
  refresh(): Promise<void> {
    return this.#job.run()
  }

  /** Refreshes every few seconds, until `stop`. */
  start(): void {
    this.#job.start()
  }

  /** Resolves when the database is no longer needed. */
  stop(): Promise<void> {
    return this.#job.stop()
  }

  /** Whether the operator set limits for this partner. */
  hasOwnLimits(clientId: string): boolean {
    return this.#byPartner.has(clientId)
  }

  get limitsExpensiveReads(): boolean {
    return this.#limitsExpensiveReads
  }

  /** How many expensive reads of the partner may run or wait, on all servers. Undefined: no limit. */
  expensiveReadsOf(clientId: string): number | undefined {
    return this.#settingsOf(clientId)?.expensive_reads
  }

  /** Who has used this token before, if the partner has limits. A hint: it proves nothing. */
  callerOf(token: string): Caller | undefined {
    return this.#callers.get(token)
  }

  /**
   * Counts a call before its statement, if its token was accepted before. Undefined: it is not counted yet.
   * @throws {DatabaseUnavailable}
   */
  async admitEarly(token: string): Promise<EarlyAdmission | undefined> {
    const caller = this.#callers.get(token)
    const admission = caller && (await this.#admitCall(caller))
    return admission && { caller, admission }
  }

  /**
   * Counts a call that its statement has authenticated, unless `early` has counted it for the same caller. Undefined: no limit
   * applies. @throws {DatabaseUnavailable}
   */
  async admit(
    token: string,
    caller: Caller,
    early: EarlyAdmission | undefined,
  ): Promise<Admission | undefined> {
    if (early?.caller.clientId === caller.clientId && early.caller.userId === caller.userId)
      return early.admission
    if (early) this.giveBack(early.admission)
    if (!this.#settingsOf(caller.clientId)) return undefined
    putLast(this.#callers, token, caller, mostCallers)
    return this.#admitCall(caller)
  }

  /** A statement has refused this token: its calls no longer count for anyone. */
  refuse(token: string, early: EarlyAdmission | undefined): void {
    this.#callers.delete(token)
    if (early) this.giveBack(early.admission)
  }

  /**
   * Counts a token request of an authenticated client. `connectionKey` is for a refresh: its connection. Undefined if the
   * credential does not authenticate the client: the statement refuses it. @throws {DatabaseUnavailable}
   */
  async admitTokenRequest(
    client: ClientCredential,
    connectionKey: () => string | undefined,
  ): Promise<Admission | undefined> {
    const { clientId } = client
    const settings = this.#settingsOf(clientId)
    const { token_requests_per_minute: ofPartner, refreshes_per_connection_per_minute: ofConnection } =
      settings ?? {}
    if (ofPartner === undefined && ofConnection === undefined) return undefined
    if (!(await this.#isAuthentic(client))) return undefined
    const connection = ofConnection === undefined ? undefined : connectionKey()
    return this.#take([
      policyOf('token', ofPartner, clientId),
      connection === undefined ? undefined : policyOf('refresh', ofConnection, clientId, connection),
    ])
  }

  /** The request was not authenticated after all, so it does not count for the partner. */
  giveBack({ taken }: Admission): void {
    if (taken.kind === 'taken') this.#quotas.giveBack(taken.quotas)
  }

  /** Whether the credential has authenticated its client before. A hint: it may have been replaced since. */
  isKnown(client: ClientCredential): boolean {
    return this.#credentials.has(credentialKey(client))
  }

  /** A statement has authenticated the client by this credential. */
  learn(client: ClientCredential): void {
    putLast(this.#credentials, credentialKey(client), true, mostCredentials)
  }

  /** A statement has refused this credential. */
  forget(client: ClientCredential): void {
    this.#credentials.delete(credentialKey(client))
  }

  async #isAuthentic(client: ClientCredential): Promise<boolean> {
    if (this.isKnown(client)) return true
    const { clientId, method, digest } = client
    const found = await this.#options.database.shortReads.maybe(findCredential, [clientId, method, digest])
    if (found) this.learn(client)
    return found !== undefined
  }

  async #admitCall({ clientId, userId }: Caller): Promise<Admission | undefined> {
    const settings = this.#settingsOf(clientId)
    return this.#take([
      policyOf('partner', settings?.requests_per_minute, clientId),
      policyOf('user', settings?.requests_per_user_per_minute, clientId, userId),
    ])
  }

  #settingsOf(clientId: string): LimitSettings | undefined {
    const { limits: defaults } = this.#options.config
    return this.#byPartner.get(clientId) ?? (hasAny(defaults) ? defaults : undefined)
  }

  async #take(all: (CountedPolicy | undefined)[]): Promise<Admission | undefined> {
    const policies = all.filter((policy) => policy !== undefined)
    if (policies.length === 0) return undefined
    const taken = await this.#quotas.take(policies.map(({ demand }) => demand))
    return { policies, taken, secondsLeft: this.#quotas.secondsLeft() }
  }

  async #load(): Promise<void> {
    const { database, config } = this.#options
    const defaults = config.limits
    const { now, limits } = await database.shortReads.one(readLimits, [])
    this.#quotas.observe(now)
    const all = Object.entries(limits).map(([id, own]) => [id, { ...defaults, ...own }] as const)
    this.#byPartner = new Map(all)
    this.#limitsExpensiveReads = [defaults, ...this.#byPartner.values()].some(
      ({ expensive_reads: most }) => most !== undefined,
    )
  }
}

type CountedPolicy = Policy & { demand: Demand }

/** `of` names what is counted: the partner, and its user or connection. Undefined: no limit. No id contains a space. */
function policyOf(
  name: Policy['name'],
  most: number | undefined,
  ...of: string[]
): CountedPolicy | undefined {
  if (most === undefined) return undefined
  const unleased = of.length > 1 ? Math.floor(most * unleasedShare) : 0
  return { name, most, demand: { key: [name, ...of].join(' '), most, unleased } }
}

function hasAny(settings: LimitSettings): boolean {
  return Object.keys(settings).length > 0
}

function credentialKey({ clientId, method, digest }: ClientCredential): string {
  return `${clientId} ${method} ${digest.toString('hex')}`
}

/** Puts the entry at the end. If there are too many, the oldest is removed. */
function putLast<T>(entries: Map<string, T>, key: string, value: T, most: number): void {
  entries.delete(key)
  entries.set(key, value)
  const [oldest] = entries.keys()
  if (entries.size > most && oldest !== undefined) entries.delete(oldest)
}

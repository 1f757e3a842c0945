import type { FastifyRequest } from 'fastify'
import type { FailedLogins } from './audit/failed-logins.ts'
import type { Config } from './config.ts'
import type { Database } from './database/database.ts'
import type { Keyring } from './keys/keyring.ts'
import type { Limits } from './limits/limits.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { ExpensiveReadLimiter, PasswordHashLimiter } from './process/limiters.ts'
import type { OneAtATime } from './process/one-at-a-time.ts'
import type { Usage } from './process/usage.ts'
import type { ReadLog } from './read-log/read-log.ts'
import type { CallHourCounts } from './request-log/call-hours.ts'
import type { RequestLog } from './request-log/request-log.ts'
import type { SecretKeys } from './secrets/derived-keys.ts'

/** The only shared state a slice may use. */
export type Context = {
  config: Config
  database: Database
  keys: SecretKeys
  passwordHashLimiter: PasswordHashLimiter
  rehashing: Rehashing
  keyring: Keyring
  expensiveReadLimiter: ExpensiveReadLimiter
  /** For what developers read on `database.expensive`, in pages and API together. */
  developerReadLimiter: ExpensiveReadLimiter
  /** For changes of webhooks that can take seconds, in pages, developer API and admin API together. */
  slowWebhookLimiter: OneAtATime
  limits: Limits
  usage: Usage
  readLog: ReadLog
  failedLogins: FailedLogins
  /** Absent: the operator has turned it off. */
  requestLog?: RequestLog
  /** Counts the calls for the overview of the console. */
  callHours: CallHourCounts
  metrics: Metrics
  /** Absent in production. */
  sandbox?: Sandbox
  /** The server's clock. The database decides by its own clock (docs/adr/0006). */
  now(): Date
}

/** Replaces the hashes that an import brought, or that have an old cost. */
type Rehashing = {
  /** Call it only with a password that matched the hash. Returns at once. */
  replaceIfForeign(verified: { userId: string; password: string; hash: string }): void
}

/** The state of a sandbox, and what other slices ask of it (docs/adr/0026). Production has none. */
export type Sandbox = {
  /** Looks whether the database has the data of `latchkey sandbox load`. */
  look(): Promise<void>
  readonly isLoaded: boolean
  /** The application whose credentials the docs publish. */
  readonly application: { clientId: string; clientSecret: string } | undefined
  /** Whether *Connect* answers like *Cancel* for this user. */
  cancelsConsent(userId: string): boolean
  /** The time by the clock of the connection whose token the request presents. Without a token, the server's time. */
  timeOf(request: FastifyRequest): Date
  /** By how many seconds that clock is ahead of the server's. */
  secondsAheadOf(request: FastifyRequest): number
  /** Reads the clock of the connection whose token the request presents. */
  readClock(request: FastifyRequest, locatorHash: Buffer): Promise<void>
  /** Milliseconds by which the scenario `slow` delays an answer. */
  slowAnswerMs: number
}

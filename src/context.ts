import type { Config } from './config.ts'
import type { Database } from './database/database.ts'
import type { Keyring } from './keys/keyring.ts'
import type { Limits } from './limits/limits.ts'
import type { ExpensiveReadLimiter, PasswordHashLimiter } from './process/limiters.ts'
import type { Usage } from './process/usage.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import type { SecretKeys } from './secrets/derived-keys.ts'

/** The only shared state a slice may use. */
export type Context = {
  config: Config
  database: Database
  keys: SecretKeys
  passwordHashLimiter: PasswordHashLimiter
  keyring: Keyring
  expensiveReadLimiter: ExpensiveReadLimiter
  limits: Limits
  usage: Usage
  /** Absent in production. */
  sandbox?: Sandbox
  /** The server's clock. The database decides by its own clock (docs/adr/0006). */
  now(): Date
}

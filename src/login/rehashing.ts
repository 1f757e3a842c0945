import pLimit from 'p-limit'
import type { BaseLogger } from 'pino'
import type { Database } from '../database/database.ts'
import { hashPassword, isCurrentHash, type PasswordCost } from '../directory/passwords.ts'
import type { PasswordHashLimiter } from '../process/limiters.ts'
import { replaceHash } from './login.sql.ts'

/** Further logins keep their old hash until the user's next login. */
const maxWaiting = 500

type VerifiedPassword = { userId: string; password: string; hash: string }

/**
 * Replaces hashes that an import brought, or that have an old cost, by the server's own kind. Only a login knows the password.
 * The work runs after the login was decided. It runs one at a time: an import locks the users until it ends, and the statement
 * would wait for it on one connection, not on all. Of the hashes at a time, it takes one place at most.
 */
export class Rehashing {
  readonly #database: Database
  readonly #limiter: PasswordHashLimiter
  readonly #logger: BaseLogger
  readonly #cost: PasswordCost
  readonly #turn = pLimit(1)
  /** The users whose hashes are being replaced or will be. */
  readonly #users = new Set<string>()
  #running: Promise<void> | undefined

  constructor(database: Database, limiter: PasswordHashLimiter, logger: BaseLogger, cost: PasswordCost) {
    this.#database = database
    this.#limiter = limiter
    this.#logger = logger
    this.#cost = cost
  }

  /** Call it only with a password that matched the hash. Returns at once. */
  replaceIfForeign(verified: VerifiedPassword): void {
    const { userId, hash } = verified
    if (isCurrentHash(hash, this.#cost) || this.#users.has(userId) || this.#users.size >= maxWaiting) return
    this.#users.add(userId)
    void this.#turn(() => {
      this.#running = this.#replace(verified).finally(() => this.#users.delete(userId))
      return this.#running
    })
  }

  /** Drops what has not begun, and waits for the rest. */
  async stop(): Promise<void> {
    this.#turn.clearQueue()
    await this.#running
  }

  async #replace({ userId, password, hash }: VerifiedPassword): Promise<void> {
    try {
      const next = await this.#limiter.hash(() => hashPassword(password, this.#cost))
      const replaced = await this.#database.maybe(replaceHash, [userId, hash, next])
      this.#logger.info({ event: 'rehash', outcome: replaced ? 'replaced' : 'conflict', user_id: userId })
    } catch (error) {
      this.#logger.warn({ err: error, event: 'rehash', outcome: 'failed', user_id: userId })
    }
  }
}

import type { FastifyBaseLogger } from 'fastify'
import type { CryptoKey } from 'jose'
import type { Database } from '../database/database.ts'
import { refreshSeconds, staleSeconds } from './lifetimes.ts'
import { openSigningKeys, type SigningKey } from './open-keys.ts'
import { makeDueKeys } from './rotate-signing-key.ts'
import { signerAt } from './signer-at.ts'
import { retireSigningKeys } from './signing-keys.sql.ts'
import type { PublicJwk, SigningAlgorithm } from './signing-keys.ts'

type LiveKey = SigningKey & { privateKey: CryptoKey }

export type KeyringOptions = {
  database: Database
  /** What the private halves are sealed under. */
  sealingKey: Buffer
  /** The server's clock. */
  now: () => Date
  logger: Pick<FastifyBaseLogger, 'error'>
}

/**
 * The keys of the database, kept in memory. Every server refreshes its own within a minute, and a new key waits an hour
 * before it signs: by then each server publishes it, and each JWKS that a partner may still keep has it (docs/adr/0009).
 */
export class Keyring {
  readonly #options: KeyringOptions
  #keys: SigningKey[] = []
  /** Milliseconds since the epoch; until the first refresh, long ago. */
  #refreshedAt = Number.NEGATIVE_INFINITY
  #refreshing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: KeyringOptions) {
    this.#options = options
  }

  /** The key that signs at this moment. @throws {DatabaseUnavailable} as the other two, when it has none it may use */
  async signer(algorithm: SigningAlgorithm): Promise<LiveKey> {
    await this.freshen()
    const live = this.#keys.filter(isLive)
    const key = signerAt(live, algorithm, this.#options.now())
    if (!key) throw new Error(`there is no ${algorithm} signing key`)
    return key
  }

  /** The JWKS: keys that sign, that will, and that did until a day ago. */
  async published(): Promise<PublicJwk[]> {
    await this.freshen()
    return this.#keys.filter(isLive).map(({ public_jwk }) => public_jwk)
  }

  /** Any key we ever had, for an id_token of our own that is shown to us. */
  async publicKey(kid: string): Promise<Pick<SigningKey, 'algorithm' | 'publicKey'> | undefined> {
    await this.freshen()
    return this.#keys.find((key) => key.kid === kid)
  }

  /** Reads the keys again, having retired and made what is due. Who asks while that is done waits for the same. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#load().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  /** From now on each minute, until `stop`. What fails is logged, and tried again a minute later. */
  start(): void {
    const { logger } = this.#options
    this.#timer = setInterval(() => {
      this.refresh().catch((error) => logger.error(error, 'the signing keys could not be refreshed'))
    }, refreshSeconds * 1000).unref()
  }

  /** Resolves when nothing of it needs the database any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#refreshing?.catch(() => {})
  }

  async #load(): Promise<void> {
    const { database, sealingKey, now } = this.#options
    const began = now().getTime()
    await database.run(retireSigningKeys, [])
    let keys = await openSigningKeys(database, sealingKey)
    if (await makeDueKeys(database, sealingKey, keys)) keys = await openSigningKeys(database, sealingKey)
    this.#keys = keys
    this.#refreshedAt = began
  }

  /**
   * Reads the keys again if they may be out of date: after a pause, of this process or of the database, those in memory
   * may be retired, and new ones be signing. @throws {DatabaseUnavailable}
   */
  async freshen(): Promise<void> {
    // A clock that was set back tells no age, either.
    const age = Math.abs(this.#options.now().getTime() - this.#refreshedAt)
    if (age > staleSeconds * 1000) await this.refresh()
  }
}

function isLive(key: SigningKey): key is LiveKey {
  return key.privateKey !== undefined
}

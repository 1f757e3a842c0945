import type { FastifyBaseLogger } from 'fastify'
import { type CryptoKey, importJWK } from 'jose'
import type { Database, Queries } from '../database/database.ts'
import { BackgroundJob } from '../process/background-job.ts'
import { refreshSeconds, staleSeconds } from './lifetimes.ts'
import {
  insertSigningKey,
  listSigningKeys,
  retireSigningKeys,
  type SigningKeyRow,
} from './signing-keys.sql.ts'
import {
  generateSigningKey,
  openPrivateKey,
  type PublicJwk,
  type SigningAlgorithm,
  signingAlgorithms,
} from './signing-keys.ts'

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
  readonly #job: BackgroundJob

  constructor(options: KeyringOptions) {
    this.#options = options
    this.#job = new BackgroundJob({
      everyMs: refreshSeconds * 1000,
      run: () => this.#load(),
      onError: (error) => options.logger.error(error, 'the signing keys could not be refreshed'),
    })
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

  /** Retires and makes the keys that are due, then reads all keys. While that is under way, every caller gets the same run. */
  refresh(): Promise<void> {
    return this.#job.run()
  }

  /** From now on each minute, until `stop`. What fails is logged, and tried again a minute later. */
  start(): void {
    this.#job.start()
  }

  /** Resolves when nothing of it needs the database any more. */
  async stop(): Promise<void> {
    await this.#job.stop()
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

/** What decides that an algorithm is due for its first key, or its next. */
type Known = Pick<SigningKeyRow, 'algorithm' | 'generation' | 'aged'>

/** The key after the newest of `keys`: published from now on, and signing after the lead time (docs/adr/0009). */
async function makeNext(
  database: Database,
  sealingKey: Buffer,
  keys: Known[],
  algorithm: SigningAlgorithm,
): Promise<void> {
  const generation = (newestOf(keys, algorithm)?.generation ?? 0) + 1
  const { kid, publicJwk, sealedPrivateJwk } = await generateSigningKey(algorithm, sealingKey)
  await database.maybe(insertSigningKey, [kid, algorithm, generation, publicJwk, sealedPrivateJwk])
}

/** @returns whether a key was due, and is there now: made here, or at the same moment by another server */
async function makeDueKeys(database: Database, sealingKey: Buffer, keys: Known[]): Promise<boolean> {
  const due = signingAlgorithms.filter((algorithm) => newestOf(keys, algorithm)?.aged ?? true)
  for (const algorithm of due) await makeNext(database, sealingKey, keys, algorithm)
  return due.length > 0
}

/**
 * Makes the next key at once, whatever the age of the newest.
 * @returns the newest key, which is another's when somebody rotated at the same moment
 * @throws {SecretMismatch} when this is not the LATCHKEY_SECRET that the other keys were stored under
 */
export async function rotateSigningKey(
  database: Database,
  sealingKey: Buffer,
  algorithm: SigningAlgorithm,
): Promise<SigningKeyRow> {
  const keys = await openSigningKeys(database, sealingKey)
  await makeNext(database, sealingKey, keys, algorithm)
  const newest = newestOf(await database.run(listSigningKeys, []), algorithm)
  if (!newest) throw new Error(`the ${algorithm} key just made is not there`)
  return newest
}

function newestOf<Key extends Known>(keys: Key[], algorithm: SigningAlgorithm): Key | undefined {
  return keys.findLast((key) => key.algorithm === algorithm)
}

/** A key of the database, opened; a retired one has no private half. */
export type SigningKey = SigningKeyRow & { publicKey: CryptoKey; privateKey: CryptoKey | undefined }

/**
 * All keys, of each algorithm the newest last.
 * @throws {SecretMismatch} when they were stored under another LATCHKEY_SECRET
 */
export async function openSigningKeys(database: Queries, sealingKey: Buffer): Promise<SigningKey[]> {
  const rows = await database.run(listSigningKeys, [])
  return Promise.all(
    rows.map(async (row) => ({
      ...row,
      publicKey: await importJWK(row.public_jwk, row.algorithm),
      privateKey:
        row.private_jwk === null
          ? undefined
          : await openPrivateKey(row.private_jwk, row.algorithm, sealingKey),
    })),
  )
}

/**
 * Which of the keys that are not retired, the newest last, signs at this moment: the newest whose time has come. On a
 * clock that is behind the database's it may be that of none, and the oldest is it, which everybody knows.
 */
export function signerAt<Key extends { algorithm: SigningAlgorithm; signs_from: Date }>(
  live: Key[],
  algorithm: SigningAlgorithm,
  now: Date,
): Key | undefined {
  const keys = live.filter((key) => key.algorithm === algorithm)
  return keys.findLast(({ signs_from }) => signs_from <= now) ?? keys[0]
}

import type { FastifyBaseLogger } from 'fastify'
import { type CryptoKey, importJWK } from 'jose'
import { type Origin, originValue, systemOrigin } from '../audit/origin.ts'
import type { Database, Queries } from '../database/database.ts'
import { BackgroundJob } from '../process/background-job.ts'
import { acceptedKeys, type SecretKeys } from '../secrets/derived-keys.ts'
import { openJson, sealJson } from '../secrets/seal.ts'
import { resealStored } from '../secrets/stored-secret.ts'
import { refreshSeconds, staleSeconds, watchSeconds } from './lifetimes.ts'
import {
  insertSigningKey,
  listLiveKids,
  listSigningKeys,
  resealSigningKey,
  retireSigningKeys,
  type SigningKeyRow,
} from './signing-keys.sql.ts'
import {
  generateSigningKey,
  openPrivateKey,
  type PublicJwk,
  SecretMismatch,
  type SigningAlgorithm,
  signingAlgorithms,
} from './signing-keys.ts'

type LiveKey = SigningKey & { privateKey: CryptoKey }

export type KeyringOptions = {
  database: Database
  /** Their key `signing-key` encrypts the private keys. */
  keys: SecretKeys
  /** The server's clock. */
  now: () => Date
  logger: Pick<FastifyBaseLogger, 'error'>
}

/**
 * The signing keys of the database, kept in memory. Every server reads them once a minute, and a new key signs only after
 * an hour. By then every server publishes it, and it is in every JWKS that a partner may have cached (docs/adr/0009).
 */
export class Keyring {
  readonly #options: KeyringOptions
  #keys: SigningKey[] = []
  /** Milliseconds since the epoch. Minus infinity before the first refresh. */
  #refreshedAt = Number.NEGATIVE_INFINITY
  readonly #job: BackgroundJob
  readonly #watch: BackgroundJob

  constructor(options: KeyringOptions) {
    this.#options = options
    this.#job = new BackgroundJob({
      everyMs: refreshSeconds * 1000,
      run: () => this.#load(),
      onError: (error) => options.logger.error(error, 'the signing keys could not be refreshed'),
    })
    this.#watch = new BackgroundJob({
      everyMs: watchSeconds * 1000,
      run: () => this.#refreshIfChanged(),
      // The refresh every minute reports that the database is away.
      onError: () => {},
    })
  }

  /** The key that signs now. @throws {DatabaseUnavailable} if the keys in memory are too old and cannot be read again */
  async signer(algorithm: SigningAlgorithm): Promise<LiveKey> {
    await this.freshen()
    const live = this.#keys.filter(isLive)
    const key = signerAt(live, algorithm, this.#options.now())
    if (!key) throw new Error(`there is no ${algorithm} signing key`)
    return key
  }

  /** The JWKS: the keys that sign, will sign, or signed until a day ago. @throws {DatabaseUnavailable} as `signer` */
  async published(): Promise<PublicJwk[]> {
    await this.freshen()
    return this.#keys.filter(isLive).map(({ public_jwk }) => public_jwk)
  }

  /** Any key, even a retired one: it verifies an `id_token_hint`. @throws {DatabaseUnavailable} as `signer` */
  async publicKey(kid: string): Promise<Pick<SigningKey, 'algorithm' | 'publicKey'> | undefined> {
    await this.freshen()
    return this.#keys.find((key) => key.kid === kid)
  }

  /**
   * Retires and creates the keys that are due, then reads all keys. Seals again what the previous secret seals.
   * Concurrent calls share one run.
   */
  refresh(): Promise<void> {
    return this.#job.run()
  }

  /** Reads all keys after this call: not only a run that was in progress. For a server that has just removed a key. */
  async reload(): Promise<void> {
    await this.#job.run()
    await this.#job.run()
  }

  /** Refreshes every minute until `stop`, and within seconds if a key was removed. Logs a failure and tries again later. */
  start(): void {
    this.#job.start()
    this.#watch.start()
  }

  /** Resolves when the keyring no longer uses the database. */
  async stop(): Promise<void> {
    await this.#watch.stop()
    await this.#job.stop()
  }

  /** A key that leaked must leave the JWKS at once. Comparing the kids costs much less than reading the keys. */
  async #refreshIfChanged(): Promise<void> {
    const { kids } = await this.#options.database.one(listLiveKids, [])
    const known = this.#keys.filter(isLive).map(({ kid }) => kid)
    if (kids.length !== known.length || known.some((kid) => !kids.includes(kid))) await this.reload()
  }

  async #load(): Promise<void> {
    const { database, keys, now } = this.#options
    const startedAt = now().getTime()
    await database.run(retireSigningKeys, [])
    let signingKeys = await openSigningKeys(database, keys)
    if (await createDueKeys(database, systemOrigin, keys, signingKeys))
      signingKeys = await openSigningKeys(database, keys)
    await resealSigningKeys(database, keys, signingKeys)
    await resealStored(database, keys)
    this.#keys = signingKeys
    this.#refreshedAt = startedAt
  }

  /**
   * Reads the keys again if they are older than `staleSeconds`. After a pause of this process or an outage of the
   * database, the keys in memory may be retired and new ones may be signing. @throws {DatabaseUnavailable}
   */
  async freshen(): Promise<void> {
    // The absolute value, because a clock that was set back would make stale keys look new.
    const age = Math.abs(this.#options.now().getTime() - this.#refreshedAt)
    if (age > staleSeconds * 1000) await this.refresh()
  }
}

function isLive(key: SigningKey): key is LiveKey {
  return key.privateKey !== undefined
}

/** The fields that decide whether an algorithm needs a new key. */
type KeyAge = Pick<SigningKeyRow, 'algorithm' | 'generation' | 'aged'>

/** Creates the successor of the newest key. It is published at once and signs after the lead time (docs/adr/0009). */
async function createNextKey(
  database: Queries,
  origin: Origin,
  { current }: SecretKeys,
  signingKeys: KeyAge[],
  algorithm: SigningAlgorithm,
): Promise<void> {
  const generation = (newestOf(signingKeys, algorithm)?.generation ?? 0) + 1
  const { kid, publicJwk, sealedPrivateJwk } = await generateSigningKey(algorithm, current['signing-key'])
  await database.maybe(insertSigningKey, [
    kid,
    algorithm,
    generation,
    publicJwk,
    sealedPrivateJwk,
    originValue(origin),
  ])
}

/** @returns whether a key was due. It now exists: this server or another one has created it. */
export async function createDueKeys(
  database: Queries,
  origin: Origin,
  keys: SecretKeys,
  signingKeys: KeyAge[],
): Promise<boolean> {
  const due = signingAlgorithms.filter((algorithm) => newestOf(signingKeys, algorithm)?.aged ?? true)
  for (const algorithm of due) await createNextKey(database, origin, keys, signingKeys, algorithm)
  return due.length > 0
}

/**
 * Encrypts again, with the current secret, what was encrypted with the previous one. Not what was encrypted with the next
 * one: a server that still has the old secret would undo the work of those that have the new one.
 */
async function resealSigningKeys(
  database: Database,
  { current, previous }: SecretKeys,
  signingKeys: SigningKeyRow[],
): Promise<void> {
  if (!previous) return
  for (const { kid, private_jwk: sealed } of signingKeys) {
    const jwk = sealed === null ? undefined : openJson(sealed, [previous['signing-key']])
    if (jwk === undefined) continue
    await database.maybe(resealSigningKey, [kid, sealed, sealJson(jwk, current['signing-key'])])
  }
}

/**
 * Creates the next key now, regardless of the age of the newest.
 * @returns the newest key. If another process rotates at the same time, that process may have created it.
 * @throws {SecretMismatch} if the existing keys were encrypted with a secret that is not configured
 */
export async function rotateSigningKey(
  database: Database,
  origin: Origin,
  keys: SecretKeys,
  algorithm: SigningAlgorithm,
): Promise<SigningKeyRow> {
  const signingKeys = await openSigningKeys(database, keys)
  await createNextKey(database, origin, keys, signingKeys, algorithm)
  const newest = newestOf(await database.run(listSigningKeys, []), algorithm)
  if (!newest) throw new Error(`the new ${algorithm} key is missing from the database`)
  return newest
}

function newestOf<Key extends KeyAge>(keys: Key[], algorithm: SigningAlgorithm): Key | undefined {
  return keys.findLast((key) => key.algorithm === algorithm)
}

/** A key of the database, ready to use. A retired key has no private key. */
export type SigningKey = SigningKeyRow & { publicKey: CryptoKey; privateKey: CryptoKey | undefined }

/**
 * All keys, including retired ones. The keys of each algorithm are ordered from oldest to newest.
 * @throws {SecretMismatch} if they were encrypted with a secret that is not configured
 */
export async function openSigningKeys(database: Queries, keys: SecretKeys): Promise<SigningKey[]> {
  const rows = await database.run(listSigningKeys, [])
  return Promise.all(
    rows.map(async (row) => ({
      ...row,
      publicKey: await importJWK(row.public_jwk, row.algorithm),
      privateKey:
        row.private_jwk === null
          ? undefined
          : await openPrivateKey(row.private_jwk, row.algorithm, acceptedKeys(keys, 'signing-key')),
    })),
  )
}

/** Whether the private keys in the database were encrypted with a configured secret. */
export async function opensSigningKeys(database: Queries, keys: SecretKeys): Promise<boolean> {
  try {
    await openSigningKeys(database, keys)
    return true
  } catch (error) {
    if (error instanceof SecretMismatch) return false
    throw error
  }
}

/**
 * The key that signs at `now`: the newest whose `signs_from` has passed. If this server's clock is behind the database's
 * clock, that may be none. Then the oldest key signs, because every cached JWKS contains it.
 * @param live the keys that are not retired, from oldest to newest
 */
export function signerAt<Key extends { algorithm: SigningAlgorithm; signs_from: Date }>(
  live: Key[],
  algorithm: SigningAlgorithm,
  now: Date,
): Key | undefined {
  const keys = live.filter((key) => key.algorithm === algorithm)
  return keys.findLast(({ signs_from }) => signs_from <= now) ?? keys[0]
}

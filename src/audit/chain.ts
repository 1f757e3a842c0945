import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/database.ts'
import { BackgroundJob } from '../process/background-job.ts'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import type { Static } from '../typebox.ts'
import {
  chainAt,
  chainEnd,
  insertChain,
  insertCheckpoint,
  lastCheckpoint,
  nextRows,
  type StoredCheckpoint,
} from './chain.sql.ts'
import { chainHash, firstHash } from './chain-hash.ts'
import { isOwnCheckpoint, type SignedCheckpoint, signCheckpoint } from './checkpoint.ts'

/** A row is chained within five seconds after all earlier transactions have ended. */
const everyMs = 2000

const batchRows = 500

/** A signed checkpoint follows a chained row within about this time. */
const checkpointMs = 60_000

type Options = {
  database: Database
  keys: SecretKeys
  logger: Pick<FastifyBaseLogger, 'info' | 'error'>
  now(): Date
}

/**
 * Chains the rows of the audit log by hash, and signs the end of the chain (docs/adr/0036). Every server does this; for the
 * same rows the database decides which one was first.
 */
export class AuditChain {
  readonly #options: Options
  readonly #job: BackgroundJob
  /**
   * The checkpoint that this server has seen or signed last. It is only in memory, where a change of the database cannot reach
   * it.
   */
  #seen: SignedCheckpoint | undefined
  #signedAt = 0

  constructor(options: Options) {
    this.#options = options
    this.#job = new BackgroundJob({
      everyMs,
      run: () => this.#round(),
      onError: (error) => options.logger.error({ event: 'audit_chain', outcome: 'failed', error }),
    })
  }

  start(): void {
    this.#job.start()
  }

  async stop(): Promise<void> {
    await this.#job.stop()
  }

  /** Chains what can be chained now. Signs a checkpoint if one is due. */
  round(): Promise<void> {
    return this.#job.run()
  }

  async #round(): Promise<void> {
    const { database, now } = this.#options
    await chainRows(database)
    if (now().getTime() - this.#signedAt < checkpointMs) return
    await this.sign()
  }

  /** Signs the end of the chain, unless it is signed already or no longer continues what was signed before. */
  async sign(): Promise<void> {
    const { database, keys, logger, now } = this.#options
    const end = await database.maybe(chainEnd, [])
    if (!end) return
    const stored = await database.maybe(lastCheckpoint, [])
    const previous = stored && checkpointOf(stored)
    for (const known of [this.#seen, previous]) {
      if (known && !(await this.#continues(known))) {
        logger.error({ event: 'audit_chain', outcome: 'tampered', place: known.place, number: known.number })
        return
      }
    }
    this.#signedAt = now().getTime()
    if (previous?.place === end.place) return this.#see(previous)
    // After checkpoints were deleted, the number leaves a gap, which `latchkey audit verify` finds.
    const number = [this.#seen, previous].reduce((last, known) => {
      const next = BigInt(known?.number ?? 0)
      return next > last ? next : last
    }, 0n)
    const checkpoint = signCheckpoint(keys, {
      number: String(number + 1n),
      place: end.place,
      hash: end.hash.toString('hex'),
      at: now().toISOString(),
    })
    const { place, at, key_id: keyId, signature } = checkpoint
    const stored_ = await database.maybe(insertCheckpoint, [
      checkpoint.number,
      place,
      end.hash,
      new Date(at),
      keyId,
      Buffer.from(signature, 'base64url'),
    ])
    if (!stored_) return // another server has just signed
    this.#see(checkpoint)
    // The log is outside the database: an attacker who cuts the tail of the chain there cannot remove this line.
    logger.info({ event: 'audit_checkpoint', ...checkpoint })
  }

  #see(checkpoint: SignedCheckpoint): void {
    this.#seen = checkpoint
  }

  async #continues(known: SignedCheckpoint): Promise<boolean> {
    const { database, keys } = this.#options
    if (isOwnCheckpoint(keys, known) === false) return false
    const found = await database.maybe(chainAt, [known.place])
    return found?.hash.toString('hex') === known.hash
  }
}

export function checkpointOf(row: Static<typeof StoredCheckpoint>): SignedCheckpoint {
  const { number, place, key_id } = row
  const [hash, at, signature] = [
    row.hash.toString('hex'),
    row.at.toISOString(),
    row.signature.toString('base64url'),
  ]
  return { number, place, hash, at, key_id, signature }
}

/** Chains all rows that can be chained now. */
export async function chainRows(database: Database): Promise<void> {
  while ((await chainBatch(database)) === batchRows);
}

/** @returns how many rows were chained */
async function chainBatch(database: Database): Promise<number> {
  const rows = await database.run(nextRows, [batchRows])
  const [first] = rows
  const records = rows.flatMap(({ record }) => record ?? [])
  if (!first || records.length === 0) return 0
  let hash = first.last_hash ?? firstHash
  const hashes = records.map((record) => {
    hash = chainHash(hash, record)
    return hash
  })
  const isComplete = records.length < batchRows
  const foreignBound = isComplete ? first.oldest_running : first.looked_to
  try {
    await database.run(insertChain, [
      records.map((_, index) => String(BigInt(first.last_place) + BigInt(index) + 1n)),
      records.map(({ at }) => at),
      records.map(({ id }) => id),
      hashes,
      records.map(({ transaction }) => (first.is_foreign ? foreignBound : transaction)),
    ])
  } catch (error) {
    if (isConcurrent(error)) return 0
    throw error
  }
  return records.length
}

/** Whether another server has chained the same rows at the same time. */
function isConcurrent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}

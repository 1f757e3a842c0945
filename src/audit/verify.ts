import type { Queries } from '../database/database.ts'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import { chainAt, chainedRows, checkpointsAfter, unchainedRows } from './chain.sql.ts'
import { checkpointOf } from './chain.ts'
import { type ChainedRecord, chainHash, firstHash } from './chain-hash.ts'
import { isOwnCheckpoint, type SignedCheckpoint } from './checkpoint.ts'
import { removedPlaces } from './removals.ts'

const batchRows = 1000

/**
 * Milliseconds by which a row may be older than a row before it in the chain. `at` is the beginning of a transaction, and an
 * import takes hours at most. Someone who may insert rows could otherwise make up what happened last year.
 */
const longestTransaction = 24 * 60 * 60 * 1000

/** The first fault. `place` is null if no place is known. */
export type AuditFault = { place: string | null; reason: string }

export type Verification = {
  fault: AuditFault | null
  /** Rows whose hashes were computed again. */
  rows: number
  /** Rows that the retention has removed. Only their hashes are left. */
  removed: number
  /** Checkpoints whose signatures are right. */
  checkpoints: number
  /** Checkpoints that were signed with a secret that is no longer configured. Later ones cover them. */
  unverifiable: number
  /** The last place that a verified signature covers. Null: there is none. */
  signed_to: string | null
  /** Rows that are not chained yet. */
  waiting: number
}

type Progress = Omit<Verification, 'fault'>

/**
 * Checks the whole audit log, in batches: no row was changed, removed, inserted or moved since it was chained, and the chain
 * contains what servers have signed.
 *
 * @param database a connection without timeouts
 * @param logged checkpoints from the server's log. Only with them, a tail that was cut off together with its checkpoints is
 * found
 */
export async function verifyAudit(
  database: Queries,
  keys: SecretKeys,
  logged: SignedCheckpoint[] = [],
): Promise<Verification> {
  const progress: Progress = {
    rows: 0,
    removed: 0,
    checkpoints: 0,
    unverifiable: 0,
    signed_to: null,
    waiting: 0,
  }
  const fault =
    (await checkChain(database, keys, progress)) ??
    (await checkStoredCheckpoints(database, keys, progress)) ??
    (await checkLogged(database, keys, logged, progress)) ??
    (await checkUnchained(database, progress))
  return { fault: fault ?? null, ...progress }
}

async function checkChain(
  database: Queries,
  keys: SecretKeys,
  progress: Progress,
): Promise<AuditFault | undefined> {
  const removed = await removedPlaces(database, keys)
  let hash: Buffer = firstHash
  let latest = 0
  for (let place = 0n; ; ) {
    const rows = await database.run(chainedRows, [String(place), batchRows])
    for (const row of rows) {
      place += 1n
      if (row.place !== String(place)) {
        return { place: String(place), reason: 'the chain has a gap: an entry was removed' }
      }
      if (row.record) {
        const reason = faultOf(row.record, row.hash, { hash, latest })
        if (reason) return { place: row.place, reason }
        latest = Math.max(latest, Date.parse(row.record.at))
        progress.rows += 1
      } else if (removed.has(place)) {
        progress.removed += 1
      } else {
        return { place: row.place, reason: 'the row was removed' }
      }
      hash = row.hash
    }
    if (rows.length < batchRows) return undefined
  }
}

/** @param before the hash of the row before, and the latest moment of all rows before, in milliseconds since 1970 */
function faultOf(
  record: ChainedRecord,
  hash: Buffer,
  before: { hash: Buffer; latest: number },
): string | undefined {
  if (!chainHash(before.hash, record).equals(hash)) return 'the row or its place was changed'
  if (Date.parse(record.at) < before.latest - longestTransaction) {
    return `the row says ${record.at}, and was stored days later: someone made it up, or the clock of the database was set back`
  }
  return undefined
}

async function checkStoredCheckpoints(
  database: Queries,
  keys: SecretKeys,
  progress: Progress,
): Promise<AuditFault | undefined> {
  for (let number = 0n; ; ) {
    const rows = await database.run(checkpointsAfter, [String(number), batchRows])
    for (const row of rows) {
      number += 1n
      if (row.number !== String(number)) {
        return { place: row.place, reason: `checkpoint ${number} was removed` }
      }
      const fault = await checkSigned(database, keys, checkpointOf(row), progress)
      if (fault) return fault
    }
    if (rows.length < batchRows) return undefined
  }
}

async function checkLogged(
  database: Queries,
  keys: SecretKeys,
  logged: SignedCheckpoint[],
  progress: Progress,
): Promise<AuditFault | undefined> {
  for (const checkpoint of logged) {
    const fault = await checkSigned(database, keys, checkpoint, progress)
    if (fault) return { ...fault, reason: `${fault.reason} (from the log)` }
  }
  return undefined
}

async function checkSigned(
  database: Queries,
  keys: SecretKeys,
  checkpoint: SignedCheckpoint,
  progress: Progress,
): Promise<AuditFault | undefined> {
  const { number, place } = checkpoint
  const isOwn = isOwnCheckpoint(keys, checkpoint)
  if (isOwn === false) return { place, reason: `checkpoint ${number} has a wrong signature` }
  const found = await database.maybe(chainAt, [place])
  if (!found)
    return { place, reason: `checkpoint ${number} is behind the end of the chain: the tail was cut off` }
  if (found.hash.toString('hex') !== checkpoint.hash) {
    return {
      place,
      reason: `checkpoint ${number} has another hash: rows up to here were changed and chained again`,
    }
  }
  if (isOwn === undefined) progress.unverifiable += 1
  else {
    progress.checkpoints += 1
    if (BigInt(place) > BigInt(progress.signed_to ?? 0)) progress.signed_to = place
  }
  return undefined
}

async function checkUnchained(database: Queries, progress: Progress): Promise<AuditFault | undefined> {
  const { inserted, first, waiting } = await database.one(unchainedRows, [])
  progress.waiting = waiting
  if (inserted === 0) return undefined
  return {
    place: null,
    reason: `${inserted} rows are not in the chain, although later rows are: they were inserted or changed. The first has the id ${first}`,
  }
}

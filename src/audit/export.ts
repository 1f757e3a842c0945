import type { Queries } from '../database/database.ts'
import { ExplainedError } from '../explained-error.ts'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import { chainAt, chainedRows } from './chain.sql.ts'
import { firstHash } from './chain-hash.ts'
import { signValue } from './checkpoint.ts'
import { findRange } from './export.sql.ts'
import { toOcsf } from './ocsf.ts'
import type { Origin } from './origin.ts'
import { recordEvent } from './record-event.ts'
import { removedPlaces } from './removals.ts'

const batchRows = 500

class MissingRow extends ExplainedError {}

/** Instants in ISO 8601. */
export type ExportRange = { since?: string | undefined; until?: string | undefined }

/** What an export contains, signed: an export whose end was cut off does not have it. Hashes are hexadecimal. */
type ExportSeal = {
  first: string
  last: string
  previous_hash: string
  last_hash: string
  key_id: string
}

/**
 * Lines of an export: one event of OCSF each, in the order of the chain, without gaps. The first line has the seal. The
 * export itself is recorded. Rows that the retention has removed are not in it.
 *
 * @param database a connection without timeouts
 */
export async function* exportAudit(
  database: Queries,
  keys: SecretKeys,
  origin: Origin,
  range: ExportRange,
): AsyncGenerator<string> {
  const removed = await removedPlaces(database, keys)
  const values = [range.since ?? null, range.until ?? null, String(removed.last)]
  const { first, last } = await database.one(findRange, values)
  await recordEvent(database, origin, {
    event: 'audit.exported',
    target: { kind: 'audit', id: 'log' },
    details: { ...range, first, last },
  })
  if (first === null || last === null) return
  const before = await database.maybe(chainAt, [String(BigInt(first) - 1n)])
  const end = await database.one(chainAt, [last])
  const content: ExportSeal = {
    first,
    last,
    previous_hash: (before?.hash ?? firstHash).toString('hex'),
    last_hash: end.hash.toString('hex'),
    key_id: keys.current.id,
  }
  const seal = { ...content, signature: signValue(keys, content) }
  for (let place = BigInt(first) - 1n; place < BigInt(last); ) {
    for (const row of await database.run(chainedRows, [String(place), batchRows])) {
      place = BigInt(row.place)
      if (place > BigInt(last)) return
      if (!row.record)
        throw new MissingRow(
          `The row at place ${row.place} of the audit log is missing. Run \`latchkey audit verify\`.`,
        )
      const sealed = row.place === first ? { seal } : {}
      yield JSON.stringify(
        toOcsf(row.record, { place: row.place, hash: row.hash.toString('hex'), ...sealed }),
      )
    }
  }
}

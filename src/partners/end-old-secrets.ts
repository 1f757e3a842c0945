import { type Origin, originValue } from '../audit/origin.ts'
import type { Queries } from '../database/database.ts'
import { endOldSecretRows } from './partners.sql.ts'

export type EndedSecrets = { kind: 'ended' } | { kind: 'nothing_to_end' } | { kind: 'unknown' }

/** Ends the overlap of a rotation: from the next request on, only the newest secret is accepted. */
export async function endOldSecrets(
  database: Queries,
  origin: Origin,
  clientId: string,
): Promise<EndedSecrets> {
  const row = await database.maybe(endOldSecretRows, [clientId, originValue(origin)])
  if (!row) return { kind: 'unknown' }
  return { kind: row.ended > 0 ? 'ended' : 'nothing_to_end' }
}

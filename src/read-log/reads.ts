import type { Database } from '../database/database.ts'
import {
  listHouseholdsOfGrant,
  listReadsOfGrants,
  listReadsOfHousehold,
  type ReadHousehold,
  type ReadRow,
} from './reads.sql.ts'

export type ReadFilter = {
  householdId?: string | undefined
  userId?: string | undefined
  clientId?: string | undefined
  grantId?: string | undefined
  /** The first day, in UTC: `2026-11-22`. */
  since?: string | undefined
}

/** A part of a list. `after` is the `placeOfRead` of the last row that the reader has; null at the beginning. */
export type ReadPage = { after: string | null; limit: number }

export type ReadsOutcome = { kind: 'reads'; reads: ReadRow[] } | { kind: 'refused'; reason: string }

/** Which application read which households, on which day: newest first. */
export async function listReads(
  database: Database,
  filter: ReadFilter,
  { after, limit }: ReadPage,
): Promise<ReadsOutcome> {
  const { householdId, userId, clientId, grantId, since } = filter
  if ([householdId, userId, clientId, grantId].every((one) => one === undefined)) {
    return { kind: 'refused', reason: 'Name a household, a user, a partner or a grant.' }
  }
  if (grantId !== undefined && !isGrantId(grantId)) return { kind: 'reads', reads: [] }
  const [day = null, grant = null] = placeOf(after)
  const values = [userId ?? null, clientId ?? null, grantId ?? null, since ?? null, day, grant, limit]
  const statement = householdId === undefined ? listReadsOfGrants : listReadsOfHousehold
  return { kind: 'reads', reads: await database.expensive.run(statement, [householdId ?? null, ...values]) }
}

export function placeOfRead({ day, grant_id: grantId }: ReadRow): string {
  return `${day} ${grantId}`
}

/** Another text than a place begins the list again. */
function placeOf(after: string | null): string[] {
  return /^(\d{4}-\d\d-\d\d) (\d{1,18})$/.exec(after ?? '')?.slice(1) ?? []
}

/** The households that a grant has read since a day. `after`: the number of the last one that the reader has. */
export async function listHouseholdsRead(
  database: Database,
  { grantId, since }: { grantId: string; since?: string | undefined },
  { after, limit }: ReadPage,
): Promise<ReadHousehold[]> {
  if (!isGrantId(grantId)) return []
  const number = /^\d{1,9}$/.test(after ?? '') ? Number(after) : 0
  return database.expensive.run(listHouseholdsOfGrant, [grantId, since ?? null, number, limit])
}

function isGrantId(text: string): boolean {
  return /^\d{1,18}$/.test(text)
}

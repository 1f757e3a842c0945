import type { Queries } from '../../database/database.ts'
import type { CallerRow } from '../../resource/authenticated-read.ts'
import type { BearerToken } from '../../resource/bearer.ts'
import type { ExpensiveRead } from '../../resource/expensive-read.ts'
import type { Place } from './sync-cursor.ts'
import type { SyncRequest } from './sync-request.ts'

/** The rows of one page of a sync; empty if there is a fault or the call is refused. */
export type SyncRows = CallerRow & {
  fault: 'future' | 'expired' | null
  as_of: string
  /** A JSON array of households or accounts. */
  data: string
  count: number
  /** A JSON array of ids, and a JSON object with the reason for each; null unless changes are read. */
  removed: { ids: string; reasons: string } | null
  removedCount: number
  /** The position of the page's last entry, null if no more follow. */
  last: Place | null
}

export type PageRead = {
  /** For reads whose cost is bounded by the size of the page. */
  listing: Queries
  expensive: ExpensiveRead
  bearer: BearerToken
  sync: SyncRequest
  limit: number
}

import type { Queries } from '../database/database.ts'
import type { AuditEvent, TargetKind } from './events.ts'
import { type Origin, originValue } from './origin.ts'
import { insertEvent } from './record-event.sql.ts'

/** What happened, for `recordEvent`. `details` never has secrets, tokens, codes or hashes of them. */
export type RecordedEvent = {
  event: AuditEvent
  target: { kind: TargetKind; id: string }
  about?: { firm?: string; user?: string; client?: string }
  details?: Record<string, unknown>
}

/**
 * Writes a row of the audit log. Only for a transaction of several statements; a change that is one statement has
 * `auditRow`.
 */
export async function recordEvent(
  transaction: Queries,
  origin: Origin,
  { event, target, about = {}, details = {} }: RecordedEvent,
): Promise<void> {
  await transaction.run(insertEvent, [
    originValue(origin),
    event,
    target.kind,
    target.id,
    about.firm ?? null,
    about.user ?? null,
    about.client ?? null,
    JSON.stringify(details),
  ])
}

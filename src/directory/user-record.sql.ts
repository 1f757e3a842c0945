import { auditRow } from '../audit/audit-row.sql.ts'
import type { AuditEvent } from '../audit/events.ts'

/**
 * SQL that writes audit rows about users, for a CTE.
 *
 * @param row.user the alias in `from` of the user's row; it needs the columns `id` and `firm_id`
 */
export function userRecord(
  event: AuditEvent | readonly AuditEvent[],
  row: { origin: string; user: string; from: string; details?: Record<string, string> },
): string {
  const { user, ...rest } = row
  return auditRow(event, {
    ...rest,
    target: { kind: 'user', id: `${user}.id` },
    about: { user: `${user}.id`, firm: `${user}.firm_id` },
  })
}

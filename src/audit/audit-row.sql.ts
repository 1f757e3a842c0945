import type { AuditEvent, TargetKind } from './events.ts'

/**
 * SQL that writes a row of the audit log, for a CTE of the statement that makes the change: either both are stored or neither.
 *
 * @param event several: one row for each
 * @param row.origin the parameter with `originValue(origin)`: `$3`, or an expression of it
 * @param row.from FROM and WHERE: one audit row for each of its rows
 * @param row.target what was changed: its kind, and the SQL expression of its id
 * @param row.about SQL expressions of the firm, user and partner whom it is about, for searches
 * @param row.details SQL expressions by name: before and after, the cause, counts. Never secrets, tokens, codes or hashes.
 */
export function auditRow(
  event: AuditEvent | readonly AuditEvent[],
  row: {
    origin: string
    from: string
    target: { kind: TargetKind; id: string }
    about?: { firm?: string; user?: string; client?: string }
    details?: Record<string, string>
  },
): string {
  const { origin, target, about = {}, details = {} } = row
  const facts = Object.entries(details).flatMap(([name, sql]) => [`'${name}'`, sql])
  const events = [event].flat().map((name) => `'${name}'`)
  return `INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
                                 target_id, firm_id, user_id, client_id, details)
     SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
            origin->>'user_agent', origin->>'request_id', '${target.kind}', (${target.id})::text,
            (${about.firm ?? 'NULL'})::text, (${about.user ?? 'NULL'})::text, (${about.client ?? 'NULL'})::text,
            jsonb_strip_nulls(jsonb_build_object(${facts.join(', ')}))
       FROM (SELECT (${origin})::jsonb AS origin) AS o, unnest(ARRAY[${events.join(', ')}]) AS event, ${row.from}`
}

/**
 * The details of a changed setting: `before` and `after` have only the fields that differ. Both are SQL expressions of type
 * jsonb.
 */
export function changedFields(before: string, after: string): { before: string; after: string } {
  return { before: `differing_fields(${before}, ${after})`, after: `differing_fields(${after}, ${before})` }
}

/** SQL for an object with these columns of `row`. */
export function jsonOf(row: string, columns: readonly string[]): string {
  return `jsonb_build_object(${columns.map((column) => `'${column}', ${row}.${column}`).join(', ')})`
}

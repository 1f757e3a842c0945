import { createHash } from 'node:crypto'
import Type, { type Static } from '../typebox.ts'

const OrNull = Type.Union([Type.String(), Type.Null()])

/** All columns of a row of the audit log, as they are hashed. `at` is in UTC and has microseconds. */
export const AuditRecord = Type.Object({
  id: Type.String(),
  at: Type.String(),
  transaction: Type.String(),
  event: Type.String(),
  actor_kind: Type.String(),
  actor_id: OrNull,
  actor_name: OrNull,
  via: Type.String(),
  address: OrNull,
  user_agent: OrNull,
  request_id: OrNull,
  target_kind: Type.String(),
  target_id: Type.String(),
  firm_id: OrNull,
  user_id: OrNull,
  client_id: OrNull,
  details: Type.Record(Type.String(), Type.Unknown()),
})

/**
 * A row as it is hashed. `exact_details` is the text of `details` if a number in it is not exact in JavaScript: otherwise
 * another number could take its place with the same hash. The server itself writes no such numbers.
 */
export const ChainedRecord = Type.Object({
  ...AuditRecord.properties,
  exact_details: Type.Optional(Type.String()),
})
export type ChainedRecord = Static<typeof ChainedRecord>

const names = Object.keys(AuditRecord.properties)

const expressions: Record<string, (row: string) => string> = {
  id: (row) => `${row}.id::text`,
  at: (row) => `to_char(${row}.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  transaction: (row) => `${row}.transaction::text`,
}

/** SQL for the columns of `AuditRecord` of `row`, a row of `audit_log`. */
export function recordColumns(row: string): string {
  return names.map((name) => `${expressions[name]?.(row) ?? `${row}.${name}`} AS ${name}`).join(', ')
}

/** SQL for a `ChainedRecord` of `row`, which has the columns of `recordColumns`. */
export function chainedRecord(row: string): string {
  return `to_jsonb(${row}) || CASE WHEN EXISTS (
            SELECT FROM jsonb_path_query(${row}.details, '$.** ? (@.type() == "number")') AS found,
                        LATERAL (SELECT (found #>> '{}')::numeric AS number) AS n
             WHERE CASE WHEN abs(number) BETWEEN 1e-300 AND 1e300 THEN number <> number::float8::text::numeric
                        ELSE number <> 0 END)
          THEN jsonb_build_object('exact_details', ${row}.details::text) ELSE '{}' END`
}

/** The hash before the first row. */
export const firstHash = Buffer.alloc(32)

/** The hash of a row in the chain: SHA-256 over the hash before it and the row as canonical JSON. */
export function chainHash(previous: Buffer, record: ChainedRecord): Buffer {
  const ownColumns = Object.fromEntries(
    Object.entries(record).filter(([name]) => Object.hasOwn(ChainedRecord.properties, name)),
  )
  return createHash('sha256').update(previous).update(canonicalJson(ownColumns)).digest()
}

/** JSON with sorted names and without spaces (RFC 8785): two programs that have the same value get the same bytes. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  // RFC 8785 section 3.2.3: by UTF-16 code units, as `<` compares.
  members.sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

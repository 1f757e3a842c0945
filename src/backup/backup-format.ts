import { createHash, type Hash } from 'node:crypto'
import { ExplainedError } from '../explained-error.ts'
import Type, { Compile, type Static } from '../typebox.ts'

// A backup is gzip-compressed text: one JSON line that describes it, then for each table one JSON line, the rows in
// PostgreSQL's COPY text format and the line `\.`, and at the end one JSON line with a checksum over all lines before.

const Environment = Type.Union([Type.Literal('sandbox'), Type.Literal('production')])

export class BackupError extends ExplainedError {}

export const BackupHeader = Type.Object({
  latchkey_backup: Type.Literal(1),
  created_at: Type.String(),
  environment: Environment,
  /** The migrations that created the schema, in order. */
  migrations: Type.Array(Type.String()),
})
export type BackupHeader = Static<typeof BackupHeader>

export const TableHeader = Type.Object({ table: Type.String(), columns: Type.Array(Type.String()) })
export type TableHeader = Static<typeof TableHeader>

const BackupTrailer = Type.Object({ complete: Type.Literal(true), sha256: Type.String() })

export const backupHeader = Compile(BackupHeader)
export const tableHeader = Compile(TableHeader)
export const backupTrailer = Compile(BackupTrailer)

/** Ends the rows of a table. No row equals it, because COPY's text format escapes a backslash. */
export const endOfRows = '\\.'

/**
 * Tables that a backup leaves out. The rows of most are short-lived, and a restore must not make them valid again: sessions
 * that ended after the backup, used assertions and logout tokens, counted login failures, used quotas, mails, links to set a
 * password, and the request log with its partitions. API keys and
 * developer keys are left out, because a key that was revoked after the backup must stay revoked. The triggers of
 * the restored tables fill `listing_ranges`. Webhook messages are left out: those that waited at the time of the backup have
 * most likely been delivered since (docs/adr/0044).
 */
export const omittedTables = [
  'schema_migrations',
  'sessions',
  'client_assertions',
  'logout_tokens',
  'used_challenges',
  'login_failures',
  'listing_ranges',
  'limit_windows',
  'expensive_reads',
  'outbox',
  'password_links',
  'request_kinds',
  'request_log',
  'api_keys',
  'developer_keys',
  'idempotent_requests',
  'operator_sessions',
  'operator_links',
  'developer_sessions',
  'developer_links',
  'webhook_messages',
  'webhook_attempts',
]

export function newDigest(): Hash {
  return createHash('sha256')
}

/** Quotes a name from PostgreSQL's catalog for use in SQL. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

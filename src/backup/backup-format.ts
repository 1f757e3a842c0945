import { createHash, type Hash } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { ExplainedError } from '../explained-error.ts'

// A backup is gzip-compressed text: one JSON line that describes it, then for each table one JSON line, the rows in
// PostgreSQL's COPY text format and the line `\.`, and at the end one JSON line with a checksum over all lines before.

const Environment = Type.Union([Type.Literal('sandbox'), Type.Literal('production')])

export class BackupError extends ExplainedError {}

export const BackupHeader = Type.Object({
  latchkey_backup: Type.Literal(1),
  created_at: Type.String(),
  environment: Environment,
  /** The migrations that made the schema, in order. */
  migrations: Type.Array(Type.String()),
})
export type BackupHeader = Static<typeof BackupHeader>

export const TableHeader = Type.Object({ table: Type.String(), columns: Type.Array(Type.String()) })
export type TableHeader = Static<typeof TableHeader>

const BackupTrailer = Type.Object({ complete: Type.Literal(true), sha256: Type.String() })

export const backupHeader = Compile(BackupHeader)
export const tableHeader = Compile(TableHeader)
export const backupTrailer = Compile(BackupTrailer)

/** Ends the rows of a table. No row is like it: COPY's text format escapes a backslash. */
export const endOfRows = '\\.'

/**
 * Tables that a backup leaves out. Their rows are short-lived, and must not come back to life: a session that ended after
 * the backup, an access token that was revoked, an assertion or a failure that was counted.
 */
export const omittedTables = [
  'schema_migrations',
  'sessions',
  'access_tokens',
  'client_assertions',
  'login_failures',
]

export function newDigest(): Hash {
  return createHash('sha256')
}

/** A name of PostgreSQL's catalogue as it may stand in SQL. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

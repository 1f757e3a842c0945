import { InvalidArgumentError } from 'commander'
import { IsDate, IsDateTime } from '../typebox.ts'

/** Rows that a command prints, unless `--limit` says another number. */
export const defaultLimit = 100

export function parseLimit(text: string): number {
  const limit = Number(text)
  if (/^\d{1,6}$/.test(text) && limit >= 1 && limit <= 100_000) return limit
  throw new InvalidArgumentError('It must be a whole number from 1 to 100000.')
}

/** A day in UTC. */
export function parseDay(text: string): string {
  if (IsDate(text)) return text
  throw new InvalidArgumentError('It must be a date such as 2026-11-22.')
}

/** RFC 3339. A date means its first instant in UTC. */
export function parseSince(text: string): Date {
  if (IsDate(text) || IsDateTime(text)) return new Date(text)
  throw new InvalidArgumentError(
    'It must be a date such as 2026-11-22 or an instant such as 2026-11-22T12:00:00Z.',
  )
}

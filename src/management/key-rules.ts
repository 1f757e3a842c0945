import { Instant } from '../database/database.ts'
import Type from '../typebox.ts'
import { checkVisible } from '../visible-text.ts'

// What the keys of all APIs have in common.

/** Days for which a key may be valid, if it expires. */
export const longestKeyDays = 3650

/** The faults of a new key: sentences for the person who creates it. `days`: undefined if the key does not expire. */
export function keyFaults(name: string, days: number | undefined): string[] {
  const invisible = checkVisible(name)
  return [
    /^[^\p{Cc}]{1,100}$/u.test(name)
      ? []
      : 'The name must have 1 to 100 characters, without control characters.',
    invisible ? `The name ${invisible}.` : [],
    days === undefined || (Number.isInteger(days) && days >= 1 && days <= longestKeyDays)
      ? []
      : `The days until the key expires must be from 1 to ${longestKeyDays}.`,
  ].flat()
}

const optionalInstant = Type.Union([Instant, Type.Null()])

/** What every row of a key has. */
export const keyFields = {
  id: Type.String(),
  name: Type.String(),
  created_at: Instant,
  /** Null: it does not expire. */
  expires_at: optionalInstant,
  /** To the minute. Null: it has never been used. */
  last_used_at: optionalInstant,
  revoked_at: optionalInstant,
  state: Type.Union([Type.Literal('live'), Type.Literal('expired'), Type.Literal('revoked')]),
}

/** SQL: the columns of `keyFields`, of key `k`. */
export const keyColumns = `k.id, k.name, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
          CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired' ELSE 'live' END AS state`

/** SQL: the last use of key `k` is to be written, at most once a minute. */
export const isUsedAgain = `coalesce(k.last_used_at <= now() - interval '1 minute', true)`

/**
 * SQL: when a new key expires, or null. A key that another key creates expires with that key at the latest: a thief must not
 * get a key that lives longer than the stolen one. `days` and `origin` are parameters.
 */
export const endOfNewKey = (kind: 'api_key' | 'developer_key', days: string, origin: string) =>
  `least(now() + make_interval(days => ${days}::integer),
                                   (SELECT maker.expires_at FROM ${kind}s maker
                                     WHERE ${origin}::jsonb->>'actor_kind' = '${kind}' AND maker.id = ${origin}::jsonb->>'actor_id'))`

/** The days of a form's field. @throws {Error} that says what they must be */
export function parseKeyDays(text: string): number {
  const days = Number(text)
  if (Number.isInteger(days) && days >= 1 && days <= longestKeyDays) return days
  throw new Error(`must be from 1 to ${longestKeyDays}`)
}

import { Instant, statement } from '../database/database.ts'
import { LimitSettings } from '../limit-settings.ts'
import Type from '../typebox.ts'

/** The limits of all partners that have any, by client_id, and the database's clock. */
export const readLimits = statement(
  'read_limits',
  Type.Object({ now: Instant, limits: Type.Record(Type.String(), LimitSettings) }),
  `SELECT now() AS now, coalesce(jsonb_object_agg(client_id, limits) FILTER (WHERE limits <> '{}'), '{}') AS limits
     FROM partners`,
)

/**
 * Takes leases on quotas of the current minute. A server asks for the lease of a key only once at a time, and reports what it
 * has admitted without a lease. The rows are locked in order of the key, so that two servers cannot deadlock. In the
 * conflict, `excluded` is what the first request of the minute would have got, so `excluded.used - excluded.granted` is
 * what was admitted without a lease.
 *
 * Arrays of equal length with one entry for each key: $1 key, $2 how much all leases may add up to, $3 requests that were
 * admitted without a lease, $4 requests to lease. `granted` is what the server may admit, `used` the sum of all servers.
 */
export const takeLeases = statement(
  'take_leases',
  Type.Object({ now: Instant, key: Type.String(), granted: Type.Integer(), used: Type.Integer() }),
  `INSERT INTO limit_windows AS w (window_at, key, most, used, granted)
   SELECT date_trunc('minute', now()), key, most, admitted + granted, granted
     FROM unnest($1::text[], $2::int[], $3::int[], $4::int[]) AS wanted (key, most, admitted, lease),
          LATERAL (SELECT greatest(least(lease, most - admitted), 0) AS granted) first
    ORDER BY key
   ON CONFLICT (window_at, key) DO UPDATE SET
     most = excluded.most,
     used = w.used + excluded.used - excluded.granted
          + greatest(least(excluded.granted, excluded.most - w.used - (excluded.used - excluded.granted)), 0),
     granted = greatest(least(excluded.granted, excluded.most - w.used - (excluded.used - excluded.granted)), 0)
   RETURNING now() AS now, key, granted, used`,
)

/**
 * Whether a credential authenticates the client. Asked once by each server for a new credential of a partner with limits,
 * so that it counts only requests of the partner itself. $1 client_id, $2 method, $3 digest of the credential
 */
export const findCredential = statement(
  'find_credential',
  Type.Object({ client_id: Type.String() }),
  `SELECT client_id FROM partners
    WHERE client_id = $1 AND $2::text = ANY (auth_methods)
      AND $3::bytea = ANY (CASE $2 WHEN 'private_key_jwt' THEN key_thumbprints ELSE secret_hashes END)`,
)

const running = 'ARRAY(SELECT t FROM unnest(r.counts_until) t WHERE t > now())'

/**
 * Counts one more expensive read of a partner. No row: so many already run or wait. `counts_until` is for `endExpensiveRead`;
 * in milliseconds, because the server's Date has no more. $1 client_id, $2 the limit, $3 seconds after which a read no longer
 * counts
 */
export const beginExpensiveRead = statement(
  'begin_expensive_read',
  Type.Object({ counts_until: Instant }),
  `INSERT INTO expensive_reads AS r (client_id, counts_until)
   VALUES ($1, ARRAY[date_trunc('milliseconds', now() + make_interval(secs => $3))])
   ON CONFLICT (client_id) DO UPDATE SET counts_until = ${running} || excluded.counts_until
    WHERE cardinality(${running}) < $2
   RETURNING counts_until[cardinality(counts_until)] AS counts_until`,
)

/** Two reads that began at the same instant are interchangeable: one entry is removed. $1 client_id, $2 `counts_until` */
export const endExpensiveRead = statement(
  'end_expensive_read',
  Type.Object({ client_id: Type.String() }),
  `UPDATE expensive_reads
      SET counts_until = counts_until[:array_position(counts_until, $2) - 1] || counts_until[array_position(counts_until, $2) + 1:]
    WHERE client_id = $1 AND $2 = ANY (counts_until)
   RETURNING client_id`,
)

import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/**
 * Adds a batch of counts. Grants that no longer exist are skipped, because the foreign key would refuse the whole batch.
 * The rows of `grants` are locked first and in order of id, so that two servers that write the same grants cannot deadlock.
 *
 * Arrays of equal length with one entry for each grant and day: $1 grant id, $2 day in UTC, $3 requests, $4 households,
 * $5 accounts, $6 instant of the last use
 */
export const addUsage = statement(
  'add_usage',
  Type.Object({ grant_id: Type.String() }),
  `WITH batch AS (
     SELECT * FROM unnest($1::bigint[], $2::date[], $3::bigint[], $4::bigint[], $5::bigint[], $6::timestamptz[])
       AS batch (grant_id, day, requests, households, accounts, used_at)
   ), known AS (
     SELECT id FROM grants WHERE id IN (SELECT grant_id FROM batch) ORDER BY id FOR NO KEY UPDATE
   ), used AS (
     UPDATE grants g SET last_used_at = greatest(g.last_used_at, latest.used_at)
       FROM (SELECT id, max(used_at) AS used_at FROM known JOIN batch ON grant_id = id GROUP BY id) latest
      WHERE g.id = latest.id
   )
   INSERT INTO grant_reads AS r (grant_id, day, requests, households, accounts)
   SELECT grant_id, day, requests, households, accounts
     FROM known JOIN batch ON grant_id = id WHERE requests > 0 ORDER BY grant_id, day
   ON CONFLICT (grant_id, day) DO UPDATE SET
     requests = r.requests + excluded.requests,
     households = r.households + excluded.households,
     accounts = r.accounts + excluded.accounts
   RETURNING grant_id`,
)

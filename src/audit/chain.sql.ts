import { Bytes, Instant, statement } from '../database/database.ts'
import Type from '../typebox.ts'
import { ChainedRecord, chainedRecord, recordColumns } from './chain-hash.ts'

/**
 * Rows of the audit log that can be chained, in their order, with the end of the chain. A row can be chained when all
 * transactions that began before its own have ended: then no row can come before it. Normally only rows since the
 * end of the chain are read. In another cluster (a database that was copied) transaction ids may start lower; then the end of
 * the chain is ahead of them, and all rows are read.
 *
 * $1 how many rows at most
 */
export const nextRows = statement(
  'next_audit_rows',
  Type.Object({
    /** Of the last chained row. 0 and null: there is none. */
    last_place: Type.String(),
    last_hash: Type.Union([Bytes, Type.Null()]),
    looked_to: Type.String(),
    /** Whether the chain comes from another cluster. */
    is_foreign: Type.Boolean(),
    /** All earlier transactions have ended. */
    oldest_running: Type.String(),
    /** Null: there is no row to chain. */
    record: Type.Union([ChainedRecord, Type.Null()]),
  }),
  `WITH last AS (
     SELECT place, hash, looked_to FROM audit_chain ORDER BY place DESC LIMIT 1
   ), bounds AS (
     SELECT coalesce((SELECT place FROM last), 0) AS place, (SELECT hash FROM last) AS hash,
            coalesce((SELECT looked_to FROM last), '0'::xid8) AS looked_to,
            coalesce((SELECT looked_to FROM last) >= pg_snapshot_xmax(s), false) AS is_foreign, pg_snapshot_xmin(s) AS xmin
       FROM pg_current_snapshot() AS s
   )
   SELECT b.place::text AS last_place, b.hash AS last_hash, b.looked_to::text AS looked_to, b.is_foreign,
          b.xmin::text AS oldest_running, ${chainedRecord('r')} AS record
     FROM bounds b LEFT JOIN LATERAL (
       SELECT ${recordColumns('a')}
         FROM audit_log a
        WHERE a.transaction >= CASE WHEN b.is_foreign THEN '0'::xid8 ELSE b.looked_to END
          AND (b.is_foreign OR a.transaction < b.xmin)
          -- A sub-select, and not NOT EXISTS: a join could read the whole chain.
          AND (SELECT true FROM audit_chain c WHERE c.audit_id = a.id) IS NULL
        ORDER BY a.transaction, a.id LIMIT $1
     ) AS r ON true`,
)

/**
 * Two servers that chain the same rows at the same time: the second violates the primary key and stores nothing.
 *
 * Arrays of equal length: $1 places, $2 `at` and $3 `id` of the rows, $4 hashes, $5 up to which transaction all rows are
 * chained
 */
export const insertChain = statement(
  'insert_audit_chain',
  Type.Object({}),
  `INSERT INTO audit_chain (place, audit_at, audit_id, hash, looked_to)
   SELECT * FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::bytea[], $5::xid8[])`,
)

const ChainEnd = Type.Object({ place: Type.String(), hash: Bytes })

/** No row: nothing is chained. */
export const chainEnd = statement(
  'audit_chain_end',
  ChainEnd,
  'SELECT place::text, hash FROM audit_chain ORDER BY place DESC LIMIT 1',
)

/** $1 place */
export const chainAt = statement(
  'audit_chain_at',
  ChainEnd,
  'SELECT place::text, hash FROM audit_chain WHERE place = $1',
)

export const StoredCheckpoint = Type.Object({
  number: Type.String(),
  place: Type.String(),
  hash: Bytes,
  at: Instant,
  key_id: Type.String(),
  signature: Bytes,
})

const checkpointColumns = 'number::text, place::text, hash, at, key_id, signature'

/** No row: there is none. */
export const lastCheckpoint = statement(
  'last_audit_checkpoint',
  StoredCheckpoint,
  `SELECT ${checkpointColumns} FROM audit_checkpoints ORDER BY number DESC LIMIT 1`,
)

/** $1 number after which to continue, $2 how many at most */
export const checkpointsAfter = statement(
  'audit_checkpoints_after',
  StoredCheckpoint,
  `SELECT ${checkpointColumns} FROM audit_checkpoints WHERE number > $1 ORDER BY number LIMIT $2`,
)

/** $1 number, $2 place, $3 hash, $4 instant, $5 key id, $6 signature. No row: another server has stored this number. */
export const insertCheckpoint = statement(
  'insert_audit_checkpoint',
  Type.Object({ number: Type.String() }),
  `INSERT INTO audit_checkpoints (number, place, hash, at, key_id, signature) VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT DO NOTHING RETURNING number::text`,
)

/** Chained rows in order. $1 place after which to continue, $2 how many at most. `record` is null if the row is gone. */
export const chainedRows = statement(
  'chained_audit_rows',
  Type.Object({
    place: Type.String(),
    hash: Bytes,
    record: Type.Union([ChainedRecord, Type.Null()]),
  }),
  `SELECT c.place::text, c.hash, ${chainedRecord('r')} AS record
     FROM (SELECT * FROM audit_chain WHERE place > $1 ORDER BY place LIMIT $2) AS c
     LEFT JOIN LATERAL (
       SELECT ${recordColumns('a')} FROM audit_log a WHERE a.at = c.audit_at AND a.id = c.audit_id
     ) AS r ON true
    ORDER BY c.place`,
)

/** Rows that the chain has passed by, although they are in the log. The first by id. */
export const unchainedRows = statement(
  'unchained_audit_rows',
  Type.Object({
    inserted: Type.Integer(),
    first: Type.Union([Type.String(), Type.Null()]),
    waiting: Type.Integer(),
  }),
  `WITH bounds AS (
     SELECT coalesce((SELECT looked_to FROM audit_chain ORDER BY place DESC LIMIT 1), '0'::xid8) AS looked_to,
            pg_snapshot_xmax(pg_current_snapshot()) AS xmax
   ), unchained AS (
     SELECT a.id, a.transaction < b.looked_to OR a.transaction >= b.xmax AND b.looked_to < b.xmax AS is_inserted
       FROM audit_log a CROSS JOIN bounds b
      WHERE NOT EXISTS (SELECT FROM audit_chain c WHERE c.audit_id = a.id AND c.audit_at = a.at)
   )
   SELECT count(*) FILTER (WHERE is_inserted)::int AS inserted, min(id) FILTER (WHERE is_inserted)::text AS first,
          count(*) FILTER (WHERE NOT is_inserted)::int AS waiting
     FROM unchained`,
)

/** What the retention has removed. Only a row with the signature of a server counts: see `removedPlaces`. No parameters. */
export const storedRemovals = statement(
  'stored_audit_removals',
  Type.Object({ details: Type.Unknown() }),
  "SELECT a.details FROM audit_log a WHERE a.event = 'audit.partition_dropped'",
)

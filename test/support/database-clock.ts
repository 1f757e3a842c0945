import pg from 'pg'
import type { TestDatabase } from './database.ts'

export type MovableClock = {
  /** Moves the clock forward by so many seconds. */
  advance(seconds: number): Promise<void>
  close(): Promise<void>
}

/**
 * Replaces `now()` by a clock that tests can move. This applies to every statement on connections opened afterwards.
 * Columns filled by DEFAULT keep the real time.
 */
export async function movableClock(db: TestDatabase): Promise<MovableClock> {
  const client = new pg.Client({ connectionString: db.url })
  await client.connect()
  await client.query(
    `CREATE SCHEMA moved;
     CREATE TABLE moved.clock AS SELECT interval '0' AS ahead;
     CREATE FUNCTION moved.now() RETURNS timestamptz STABLE LANGUAGE sql
       AS 'SELECT pg_catalog.now() + ahead FROM moved.clock';
     DO $$ BEGIN
       EXECUTE format('ALTER DATABASE %I SET search_path = moved, pg_catalog, public', current_database());
     END $$`,
  )
  return {
    async advance(seconds) {
      await client.query('UPDATE moved.clock SET ahead = ahead + make_interval(secs => $1)', [seconds])
    },
    close: () => client.end(),
  }
}

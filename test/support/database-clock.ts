import pg from 'pg'
import type { TestDatabase } from './database.ts'

export type MovableClock = {
  /** By so many seconds from where it is. */
  advance(seconds: number): Promise<void>
  close(): Promise<void>
}

/**
 * Puts a clock that can be moved in the place of `now()`, for every statement of connections that are opened from now
 * on. Columns filled by DEFAULT keep the real time.
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

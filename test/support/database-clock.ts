import pg from 'pg'
import type { TestDatabase } from './database.ts'

export type MovableClock = {
  /** Seconds by which the clock is ahead of the real time. */
  ahead: number
  /** Moves the clock forward by so many seconds. */
  advance(seconds: number): Promise<void>
}

/**
 * Replaces `now()` in this database by a clock that tests can move. This applies to every statement on connections opened
 * afterwards, and to the defaults of columns.
 */
export async function movableClock(db: TestDatabase): Promise<MovableClock> {
  await run(
    db,
    `CREATE SCHEMA moved;
     CREATE TABLE moved.clock AS SELECT interval '0' AS ahead;
     CREATE FUNCTION moved.now() RETURNS timestamptz STABLE LANGUAGE sql
       AS 'SELECT pg_catalog.now() + ahead FROM moved.clock';
     DO $$ BEGIN
       EXECUTE format('ALTER DATABASE %I SET search_path = moved, pg_catalog, public', current_database());
       EXECUTE (SELECT string_agg(format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT moved.now()', attrelid::regclass, attname), ';')
                  FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
                 WHERE pg_get_expr(adbin, adrelid) = 'now()');
     END $$`,
  )
  const clock: MovableClock = {
    ahead: 0,
    async advance(seconds) {
      await run(db, `UPDATE moved.clock SET ahead = ahead + make_interval(secs => ${seconds})`)
      clock.ahead += seconds
    },
  }
  return clock
}

async function run({ url }: TestDatabase, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

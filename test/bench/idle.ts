import { setTimeout } from 'node:timers/promises'
import pg from 'pg'

/**
 * Waits until PostgreSQL has finished the statements that are left from the previous round. Searches wait for their turn in
 * the server, so PostgreSQL may be idle for a moment between two of them.
 */
export async function idle(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const others = `SELECT FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND backend_type = 'client backend'`
  for (let idleFor = 0; idleFor < 4; ) {
    idleFor = (await client.query(others)).rowCount ? 0 : idleFor + 1
    await setTimeout(50)
  }
  await client.end()
}

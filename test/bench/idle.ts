import { setTimeout } from 'node:timers/promises'
import pg from 'pg'

/**
 * Waits until PostgreSQL has finished the statements that are left from the previous round. Searches wait for their turn in
 * the server, so PostgreSQL may be idle for a moment between two of them. After a second, it cancels what still runs: a
 * statement of a slow contender may take minutes, and would be counted as the cost of the next one.
 */
export async function idle(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const others = `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND backend_type = 'client backend'`
  const cancelOthers = `SELECT pg_cancel_backend(pid) FROM (${others}) AS leftover`
  for (let [checks, idleFor] = [0, 0]; idleFor < 4; checks++) {
    idleFor = (await client.query(checks < 20 ? others : cancelOthers)).rowCount ? 0 : idleFor + 1
    await setTimeout(50)
  }
  await client.end()
}

import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** Milliseconds for which closing waits for connections whose end PostgreSQL does not confirm. */
const patienceMs = 2000

/**
 * pg's `pool.end()` resolves when it has told the connections to end. If PostgreSQL is stopped then, a connection that still
 * ends reports that it was lost.
 * @returns a function that ends the pool, and resolves when its connections are closed
 */
export function poolCloser(pool: pg.Pool): () => Promise<void> {
  const open = new Set<pg.PoolClient>()
  pool.on('connect', (client) => {
    open.add(client)
    client.once('end', () => open.delete(client))
  })
  return async () => {
    await pool.end()
    // Also those that the pool has removed before, because they were idle.
    const ends = [...open].map((client) => new Promise((resolve) => client.once('end', resolve)))
    await Promise.race([Promise.all(ends), sleep(patienceMs, undefined, { ref: false })])
  }
}

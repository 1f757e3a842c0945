/**
 * The limit for one page: the statement through `pg` and nothing else. A process of its own, so that its CPU time can be
 * told. Each message is one round.
 */
import pg from 'pg'
import { connections, summary } from '../load.ts'

export type BareSqlRound = { name: string; text: string; values: string[]; seconds: number }

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: connections })

process.on('message', async ({ seconds, ...statement }: BareSqlRound) => {
  const latencies: number[] = []
  const started = performance.now()
  const worker = async () => {
    while (performance.now() - started < seconds * 1000) {
      const asked = performance.now()
      await pool.query(statement)
      latencies.push(performance.now() - asked)
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  process.send?.(summary(latencies, (performance.now() - started) / 1000))
})
process.on('disconnect', () => process.exit())

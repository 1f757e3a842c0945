/**
 * The lower limit of the database part: only `pg` reading the rows. A separate process, so that its CPU time can be
 * measured. Each message is one round.
 */
import { once } from 'node:events'
import pg from 'pg'
import { connections, type Load, repeat } from '../load.ts'

export type Statement = { name: string; text: string; values?: string[] }
/** `page`: all rows at once, on all connections. `stream`: row by row as they arrive, on one connection. */
export type BareSqlRound = { as: 'page' | 'stream'; statement: Statement; seconds: number }

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: connections })

process.on('message', async ({ as, statement, seconds }: BareSqlRound) =>
  process.send?.(await rounds[as](statement, seconds)),
)
process.on('disconnect', () => process.exit())

const rounds = {
  page: (statement: Statement, seconds: number): Promise<Load> =>
    repeat(seconds, connections, () => pool.query(statement)),
  stream: async (statement: Statement, seconds: number): Promise<Load> => {
    const client = await pool.connect()
    try {
      return await repeat(seconds, 1, () => stream(client, statement))
    } finally {
      client.release()
    }
  },
}

/** `pg` does not collect the rows if there is a row listener. */
async function stream(client: pg.ClientBase, statement: Statement): Promise<void> {
  let bytes = 0
  const query = client.query(new pg.Query<{ id: string; name: string }>(statement))
  query.on('row', ({ id, name }) => {
    bytes += id.length + name.length
  })
  await once(query, 'end')
  if (bytes === 0) throw new Error(`no rows from ${statement.text}`)
}

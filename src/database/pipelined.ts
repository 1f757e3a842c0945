import type pg from 'pg'

type Waiting = { query: pg.QueryConfig; resolve(result: pg.QueryResult): void; reject(error: unknown): void }

/** More would make one request wait longer for the others than a separate connection costs. */
const longestPipeline = 8

/**
 * Sends statements that arrive in the same turn of the event loop over one connection, without waiting for an answer
 * between them. This saves system calls and wake-ups here and in PostgreSQL (docs/adr/0022). Each statement is still a
 * separate transaction: if one fails, the others do not. A lost connection fails all that have no answer yet.
 *
 * Only for short statements that wait for no lock and commit nothing, because each waits for those before it. The pool
 * must have `pipeline: true`.
 */
export function pipelined(pool: pg.Pool): { query(query: pg.QueryConfig): Promise<pg.QueryResult> } {
  let waiting: Waiting[] = []
  const flush = () => {
    const all = waiting
    waiting = []
    for (let from = 0; from < all.length; from += longestPipeline) {
      void send(pool, all.slice(from, from + longestPipeline))
    }
  }
  return {
    query: (query) =>
      new Promise((resolve, reject) => {
        if (waiting.push({ query, resolve, reject }) === 1) setImmediate(flush)
      }),
  }
}

/** Never rejects: each statement gets its own result or error. */
async function send(pool: pg.Pool, batch: Waiting[]): Promise<void> {
  let client: pg.PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    for (const { reject } of batch) reject(error)
    return
  }
  let failed = false
  const onError = () => {
    failed = true // every statement without an answer gets the error too
  }
  client.on('error', onError) // without a listener, a lost connection would end the process
  const { stream } = client.connection
  stream.cork() // one write for all statements
  const answers = batch.map(({ query, resolve, reject }) =>
    client.query(query).then(resolve, (error) => {
      failed = true
      reject(error)
    }),
  )
  stream.uncork()
  await Promise.all(answers)
  client.off('error', onError)
  client.release(failed)
}

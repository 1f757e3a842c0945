import Fastify, { type FastifyInstance } from 'fastify'
import type { Context } from './context.ts'
import { type Database, DatabaseUnavailable, isUnavailable } from './database/database.ts'

/** Milliseconds: how long a successful check stays valid, and how long a check may take. */
const validFor = 2000
const checkTimeout = 1500

/** Health checks and metrics for the operator. The public listener never serves them. */
export function createOpsServer({
  database,
  metrics,
}: Pick<Context, 'database' | 'metrics'>): FastifyInstance {
  const app = Fastify()
  const check = readinessCheck(database)
  app.get('/livez', async () => ({ status: 'live' }))
  app.get('/readyz', async (_request, reply) => {
    const reason = await check()
    return reason ? reply.status(503).send({ status: 'unavailable', reason }) : { status: 'ready' }
  })
  app.get('/metrics', async (_request, reply) => {
    reply.type(metrics.contentType)
    return metrics.text()
  })
  return app
}

/**
 * Returns a function that checks the database. It resolves to the reason why the server is not ready, or to undefined.
 * Concurrent callers share one check.
 */
function readinessCheck(database: Database): () => Promise<string | undefined> {
  let last: { result: Promise<string | undefined>; validUntil: number } | undefined
  return () => {
    if (last && Date.now() < last.validUntil) return last.result
    const current = { result: notReadyReason(database), validUntil: Number.POSITIVE_INFINITY }
    last = current
    void current.result.then((reason) => {
      current.validUntil = reason ? 0 : Date.now() + validFor
    })
    return current.result
  }
}

const noAnswer = 'The database does not answer.'

async function notReadyReason(database: Database): Promise<string | undefined> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), checkTimeout)
  const tooLate = new Promise<never>((_resolve, reject) => {
    timeout.signal.addEventListener('abort', () => reject(new DatabaseUnavailable(noAnswer)))
  })
  let connected = false
  const written = database.withConnection(async (client) => {
    connected = true
    // PostgreSQL does not notice a closed connection while it waits for a lock: without this, every check would leave a
    // backend behind, until no connection is left.
    await client.query(`SET statement_timeout = ${checkTimeout}`)
    // This may wait for another server that writes the same row, and for a synchronous standby.
    const write = client.query(
      `INSERT INTO readiness (checked_at) VALUES (now())
         ON CONFLICT (only_row) DO UPDATE SET checked_at = excluded.checked_at`,
    )
    await Promise.race([write, tooLate]) // on a timeout, the write ends with its connection
  })
  try {
    await Promise.race([written, tooLate])
    return undefined
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return noAnswer
    return connected && isUnavailable(error)
      ? `The database does not accept writes: ${error.message}.`
      : noAnswer
  } finally {
    clearTimeout(timer)
  }
}

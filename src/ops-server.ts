import Fastify, { type FastifyInstance } from 'fastify'
import { type Database, DatabaseUnavailable, isUnavailable } from './database/database.ts'

/** Milliseconds. A check that succeeded counts for so long, and one takes so long at most. */
const validFor = 2000
const checkTimeout = 1500

/** For whoever keeps the server running; never on the public listener. */
export function createOpsServer(database: Database): FastifyInstance {
  const app = Fastify()
  const check = readinessCheck(database)
  app.get('/livez', async () => ({ status: 'live' }))
  app.get('/readyz', async (_request, reply) => {
    const reason = await check()
    return reason ? reply.status(503).send({ status: 'unavailable', reason }) : { status: 'ready' }
  })
  return app
}

/** Returns what checks the database, and says why the server is not ready. Any number of callers share one check. */
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

async function notReadyReason(database: Database): Promise<string | undefined> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), checkTimeout)
  const tooLate = new Promise<never>((_resolve, reject) => {
    timeout.signal.addEventListener('abort', () =>
      reject(new DatabaseUnavailable('the database does not answer')),
    )
  })
  let connected = false
  const written = database.withConnection(async (client) => {
    connected = true
    // PostgreSQL does not notice a closed connection while it waits for a lock: without this, every check would leave a
    // backend behind, until no connection is left.
    await client.query(`SET statement_timeout = ${checkTimeout}`)
    // Another server may write the same row; where the database writes to a standby first, this waits for it as well.
    const write = client.query(
      `INSERT INTO readiness (checked_at) VALUES (now())
         ON CONFLICT (only_row) DO UPDATE SET checked_at = excluded.checked_at`,
    )
    await Promise.race([write, tooLate]) // what waits longer ends with the connection
  })
  try {
    await Promise.race([written, tooLate])
    return undefined
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return 'the database does not answer'
    return connected && isUnavailable(error)
      ? `the database does not accept writes: ${error.message}`
      : 'the database does not answer'
  } finally {
    clearTimeout(timer)
  }
}

import Fastify, { type FastifyInstance } from 'fastify'
import Type from 'typebox'
import { type Database, statement } from './database/database.ts'

export const ping = statement('ping', Type.Object({ ok: Type.Integer() }), 'SELECT 1 AS ok')

/** For whoever keeps the server running; never on the public listener. */
export function createOpsServer(database: Database): FastifyInstance {
  const app = Fastify()
  app.get('/livez', async () => ({ status: 'live' }))
  app.get('/readyz', async (_request, reply) => {
    try {
      await database.one(ping, [])
      return { status: 'ready' }
    } catch {
      return reply.status(503).send({ status: 'unavailable', reason: 'the database does not answer' })
    }
  })
  return app
}

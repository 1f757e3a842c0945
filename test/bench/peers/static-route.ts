/** The limit for HTTP: a Fastify route that answers the same bytes. The first message is the body; its answer, the address. */
import { fastify } from 'fastify'

process.once('message', async (body: string) => {
  const app = fastify()
  app.get('/', (_request, reply) => reply.type('application/json; charset=utf-8').send(body))
  process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }))
})
process.on('disconnect', () => process.exit())

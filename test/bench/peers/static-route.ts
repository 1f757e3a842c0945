/** The lower limit of HTTP: a Fastify route with the same bytes. The first message is the body; the reply is the address. */
import { fastify } from 'fastify'

process.once('message', async (body: string) => {
  const app = fastify()
  app.get('/', (_request, reply) => reply.type('application/json; charset=utf-8').send(body))
  process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }))
})
process.on('disconnect', () => process.exit())

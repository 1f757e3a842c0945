import type { FastifyInstance, FastifyRequest } from 'fastify'

type Facts = Record<string, string | null>
const facts = Symbol('facts')

/** What the line of this request says besides. Never a secret: the line is written as it is. */
export function logOnce(request: FastifyRequest, more: Facts): void {
  request.setDecorator(facts, more)
}

/** One line a request. Its fields are all chosen here, so nothing has to be looked for and taken out of them. */
export function accessLog(app: FastifyInstance): void {
  app.decorateRequest(facts, null)
  const log = app.log.child({}, { redact: [] })
  app.addHook('onResponse', (request, reply, done) => {
    log.info({
      request_id: request.id,
      method: request.method,
      // The route, not the address: addresses carry what partners and users send.
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...request.getDecorator<Facts | null>(facts),
    })
    done()
  })
}

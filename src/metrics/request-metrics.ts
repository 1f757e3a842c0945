import type { FastifyInstance } from 'fastify'
import { loggedFacts } from '../http/log.ts'
import type { Limits } from '../limits/limits.ts'
import type { Metrics, PartnerClass } from './metrics.ts'

/** Counts every request, when its answer has been sent. */
export function requestMetrics(
  app: FastifyInstance,
  { metrics, limits }: { metrics: Metrics; limits: Limits },
): void {
  const classOf = (clientId: string | null | undefined): PartnerClass => {
    if (!clientId) return 'none'
    return limits.hasOwnLimits(clientId) ? 'own_limits' : 'default'
  }
  app.addHook('onResponse', (request, reply, done) => {
    const facts = loggedFacts(request)
    metrics.observeRequest({
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
      event: facts?.event,
      outcome: facts?.outcome,
      partnerClass: classOf(facts?.client_id),
    })
    done()
  })
}

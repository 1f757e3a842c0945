import type { FastifyInstance } from 'fastify'
import { callNotes } from '../http/call-notes.ts'
import { claimedClientId, locatorOfCall, type TokenKeys } from './caller-of-call.ts'
import type { RequestLog } from './request-log.ts'

/** Characters of a detail that are kept. */
const maxDetail = 500

/**
 * Records the calls of all routes that are registered after this: operations of the API and of the token endpoints, also if
 * they succeed, and all calls that the route has noted an error about. The route is recorded and not the address, because the
 * address has values that partners and users send.
 */
export function recordCalls(app: FastifyInstance, context: TokenKeys & { requestLog?: RequestLog }): void {
  const { requestLog } = context
  if (!requestLog) return
  app.addHook('onResponse', (request, reply, done) => {
    const notes = callNotes(request)
    // Each access builds a new object.
    const { config, url = '' } = request.routeOptions
    if (config.operation !== undefined || notes?.code !== undefined) {
      const {
        grantId = null,
        clientId = null,
        isAuthenticated,
        code = '',
        outcome = '',
        detail,
      } = notes ?? {}
      const isUnknown = reply.statusCode >= 400 && grantId === null && clientId === null
      const locatorHash = isUnknown ? locatorOfCall(context, request) : undefined
      const call = {
        at: Date.now(),
        ms: Math.round(reply.elapsedTime * 10) / 10,
        requestId: request.id,
        method: request.method,
        route: url,
        status: reply.statusCode,
        code,
        outcome,
        authenticated:
          isAuthenticated ?? (grantId !== null || clientId !== null || locatorHash !== undefined),
        grantId,
        locatorHash,
        claimedClientId: isUnknown ? claimedClientId(request) : undefined,
        clientId: grantId === null ? clientId : null,
        detail: detail?.slice(0, maxDetail) ?? null,
      }
      requestLog.add(call, request.ip)
    }
    done()
  })
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { classify } from './faults.ts'

/** The token endpoints answer errors with the JSON of RFC 6749 section 5.2. No answer may be cached. */
export function oauthEdge(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
  })
  app.setErrorHandler((error, request, reply) => {
    const fault = classify(error)
    if (fault.kind !== 'client') request.log.error(error)
    if (fault.kind === 'unavailable') reply.header('retry-after', '1')
    const codes = {
      client: 'invalid_request',
      unavailable: 'temporarily_unavailable',
      internal: 'server_error',
    }
    return sendOauthError(request, reply, fault.status, codes[fault.kind], fault.explanation)
  })
  app.setNotFoundHandler((request, reply) =>
    sendOauthError(request, reply, 404, 'invalid_request', 'There is nothing at this address.'),
  )
}

/** Answers all methods but POST at these paths with 405 and `Allow`, instead of 404 (RFC 9110 section 15.5.6). */
export function postOnly(app: FastifyInstance, ...paths: string[]): void {
  for (const url of paths) {
    app.route({
      method: ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url,
      handler: (request, reply) =>
        sendOauthError(
          request,
          reply.header('allow', 'POST'),
          405,
          'invalid_request',
          `This address takes POST, not ${request.method}. Send a POST request.`,
        ),
    })
  }
}

export function sendOauthError(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  error: string,
  explanation: string,
): FastifyReply {
  // RFC 6749 section 5.2: the scheme that the client used in the Authorization header, which can only be Basic.
  if (status === 401) reply.header('www-authenticate', 'Basic realm="latchkey", charset="UTF-8"')
  return reply.status(status).send({ error, error_description: explanation, request_id: request.id })
}

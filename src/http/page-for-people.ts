import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Answers with a page that says whom this address is for. */
type SendPage = (request: FastifyRequest, reply: FastifyReply, status: number) => FastifyReply

const key = Symbol('page for people')

/** Tells the error edges of the API how to send a page. They know nothing of pages themselves. */
export function decoratePageForPeople(app: FastifyInstance, send: SendPage): void {
  app.decorate(key, { send })
}

/**
 * Sends a page if a person opened this address of the API in a browser. Programs do not list `text/html` in `Accept`.
 *
 * @returns undefined for a program, which gets JSON
 */
export function pageForPeople(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
): FastifyReply | undefined {
  reply.header('vary', 'accept')
  if (request.method !== 'GET' || !request.headers.accept?.includes('text/html')) return undefined
  return reply.server.getDecorator<{ send: SendPage }>(key).send(request, reply, status)
}

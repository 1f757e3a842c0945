import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { errorPageAddress } from '../errors/catalogue.ts'
import { problemOf, sendProblem } from './api-edge.ts'

// Requests that fail before a route is found. They are answered and logged like other requests.

/** The router cannot decode the path. Hooks have not run. */
export function answerBadAddress(_error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  request.log.info({ method: request.method, route: null, status: 400 })
  reply.header('x-api-request-id', request.id).header('x-content-type-options', 'nosniff')
  sendProblem(reply, 'bad_request', 'The path is not percent-encoded UTF-8.')
}

/** Node cannot parse the request, so there is no reply object. The answer is written directly to the socket. */
export function answerUnreadable(
  { code }: ConnectionError,
  socket: Socket,
  { logger, baseUrl }: { logger: FastifyBaseLogger; baseUrl: string },
): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, detail } = reasonOf(code)
  const id = randomUUID()
  // Do not log the error itself: it contains the bytes that were sent, which may be a secret.
  logger.info({ request_id: id, event: 'unreadable', reason: code, status })
  const type = errorPageAddress(baseUrl, 'bad_request')
  const body = JSON.stringify(problemOf('bad_request', { type, detail, requestId: id, status }))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    `x-api-request-id: ${id}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

function reasonOf(code: string): { status: number; detail: string } {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, detail: 'The request did not arrive in time.' }
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, detail: 'The address and headers are larger than 16 kB.' }
    case 'HPE_INVALID_URL':
      return { status: 400, detail: 'The address is not a percent-encoded URL.' }
    default:
      return { status: 400, detail: 'The request is not valid HTTP/1.1.' }
  }
}

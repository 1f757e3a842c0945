import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const acceptable = /^[A-Za-z0-9._~:+/=-]{1,128}$/

/** The caller's `X-API-Request-ID` where it is safe to echo and to log, otherwise one of our own. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-api-request-id']
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID()
}

import type { FastifyReply } from 'fastify'
import { sendProblem } from '../http/api-edge.ts'
import type { BearerRefusal } from './bearer.ts'

/** RFC 6750 section 3: without credentials the challenge has no error code. */
export function sendBearerRefusal(
  reply: FastifyReply,
  { reason, explanation }: BearerRefusal,
  whose?: { client_id: string | null; user_id: string | null },
): FastifyReply {
  reply.request.log.info({
    event: 'bearer',
    outcome: reason,
    ...(whose && { client_id: whose.client_id, user_id: whose.user_id }),
  })
  if (reason === 'missing') {
    reply.header('www-authenticate', 'Bearer realm="latchkey"')
    return sendProblem(reply, 'unauthorized', explanation)
  }
  // RFC 6750 section 3 bounds the description's characters; ours hold a quotation mark at most.
  const description = explanation.replaceAll('"', "'")
  reply.header(
    'www-authenticate',
    `Bearer realm="latchkey", error="invalid_token", error_description="${description}"`,
  )
  return sendProblem(reply, 'invalid_token', explanation)
}

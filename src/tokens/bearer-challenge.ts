import type { FastifyReply } from 'fastify'
import type { Config } from '../config.ts'
import { sendProblem } from '../http/api-edge.ts'
import type { ProblemCode } from '../http/problem.ts'
import type { BearerRefusal } from './bearer.ts'
import { resourceMetadataPath } from './resource-metadata-path.ts'

/**
 * The challenge of RFC 6750 section 3. It also says where to learn how a token is got (RFC 9728 section 5.1), but not where
 * the API answers from the root of the origin: the metadata is of {base_url}, and section 3.3 has clients compare.
 */
export function sendBearerRefusal(
  reply: FastifyReply,
  config: Config,
  { reason, explanation }: BearerRefusal,
  whose?: { client_id: string | null; user_id: string | null },
): FastifyReply {
  reply.request.log.info({
    event: 'bearer',
    outcome: reason,
    ...(whose && { client_id: whose.client_id, user_id: whose.user_id }),
  })
  const { code, error } = wireOf(reason)
  const base = new URL(config.baseUrl)
  // RFC 6750 section 3 bounds the description's characters; ours hold a quotation mark at most.
  const description = explanation.replaceAll('"', "'")
  const challenge = [
    'realm="latchkey"',
    ...(error ? [`error="${error}"`, `error_description="${description}"`] : []),
    ...(reply.request.url.startsWith(base.pathname)
      ? [`resource_metadata="${base.origin}${resourceMetadataPath(config)}"`]
      : []),
  ]
  return sendProblem(reply.header('www-authenticate', `Bearer ${challenge.join(', ')}`), code, explanation)
}

/** RFC 6750 section 3.1: without credentials the challenge has no error code. */
function wireOf(reason: BearerRefusal['reason']): { code: ProblemCode; error?: string } {
  switch (reason) {
    case 'missing':
      return { code: 'unauthorized' }
    case 'ambiguous':
      return { code: 'bad_request', error: 'invalid_request' }
    default:
      return { code: 'invalid_token', error: 'invalid_token' }
  }
}

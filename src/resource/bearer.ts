import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config, Environment } from '../config.ts'
import { type ProblemCode, sendProblem } from '../http/api-edge.ts'
import { type ParsedToken, parseToken } from '../secrets/token-format.ts'

export type BearerRefusal = {
  kind: 'refused'
  /**
   * `missing`: no credentials at all, which RFC 6750 section 3.1 answers without an error code. `ambiguous`: more than
   * one access token, or one in more than one place (section 2).
   */
  reason:
    | 'missing'
    | 'ambiguous'
    | Extract<ParsedToken, { kind: 'refused' }>['reason']
    | 'expired'
    | 'revoked'
    | 'suspended'
    | 'unknown'
  explanation: string
}

export type Bearer = { kind: 'presented'; hash: Buffer } | BearerRefusal

/** Reads the Authorization header (RFC 6750 section 2.1): one scheme, one space, one token and nothing else. */
export function readBearer(authorization: string | undefined, environment: Environment): Bearer {
  if (authorization === undefined) {
    return refused('missing', 'send the access token as "Authorization: Bearer <token>"')
  }
  const token = /^bearer ([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
  if (token === undefined) return refused('malformed', 'the Authorization header must be "Bearer <token>"')
  return presented(token, environment)
}

/** Reads the header, or the `access_token` of a form body (RFC 6750 section 2.2); never the address, which logs keep. */
export function readBearerOfForm({ headers, body }: FastifyRequest, environment: Environment): Bearer {
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '')
  const token: unknown =
    isForm && typeof body === 'object' && body !== null && 'access_token' in body
      ? body.access_token
      : undefined
  if (token === undefined) return readBearer(headers.authorization, environment)
  if (typeof token !== 'string' || headers.authorization !== undefined) {
    return refused('ambiguous', 'send one access token, in the Authorization header or in the body')
  }
  return presented(token, environment)
}

function presented(token: string, environment: Environment): Bearer {
  const parsed = parseToken(token, environment, 'at')
  return parsed.kind === 'ok'
    ? { kind: 'presented', hash: parsed.hash }
    : refused(parsed.reason, parsed.explanation)
}

/** What the statement found wrong with a token; `null` is a token that was never issued. */
export function bearerRefusal(found: 'expired' | 'revoked' | 'suspended' | null): BearerRefusal {
  switch (found) {
    case 'expired':
      return refused('expired', 'the access token has expired; get another with the refresh token')
    case 'revoked':
      return refused('revoked', 'the access token has been revoked')
    case 'suspended':
      return refused('suspended', 'the application or its user is not active')
    case null:
      return refused('unknown', 'the access token is not known')
  }
}

function refused(reason: BearerRefusal['reason'], explanation: string): BearerRefusal {
  return { kind: 'refused', reason, explanation }
}

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

/** The path of the API's own metadata: between the host and the path of what it describes (RFC 9728 section 3.1). */
export function resourceMetadataPath({ baseUrl }: Config): string {
  return `/.well-known/oauth-protected-resource${new URL(baseUrl).pathname}`
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type OAuthErrorCode, oauthReason } from '../errors/catalogue.ts'
import type { Entry } from '../errors/entry.ts'
import { oauthErrors } from '../errors/oauth.ts'
import Type, { type Static } from '../typebox.ts'
import { addressHint, errorAddress } from './addresses.ts'
import { refuseOtherMethods } from './api-edge.ts'
import { noteCall } from './call-notes.ts'
import { classify } from './faults.ts'
import { pageForPeople } from './page-for-people.ts'

/** The token endpoints answer errors with the JSON of RFC 6749 section 5.2. No answer may be cached. */
export function oauthEdge(app: FastifyInstance): void {
  answerAsOauth(app)
  app.setNotFoundHandler(noSuchAddress)
}

/** Answers 404 with the right address at paths that clients derive from other addresses. */
export function misplaced(app: FastifyInstance, ...paths: string[]): void {
  answerAsOauth(app)
  for (const path of paths) app.all(path, noSuchAddress)
}

function answerAsOauth(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
  })
  app.setErrorHandler((error, request, reply) => {
    const fault = classify(error)
    if (fault.kind !== 'client') request.log.error(error)
    if (fault.kind === 'unavailable') reply.header('retry-after', '1')
    if (fault.kind === 'client') {
      return refuse(request, reply, oauthReason('malformed_request', fault.explanation), fault.status)
    }
    const codes = { unavailable: 'temporarily_unavailable', internal: 'server_error' } as const
    return sendOauthError(request, reply, fault.status, codes[fault.kind], fault.explanation)
  })
}

function noSuchAddress(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const page = pageForPeople(request, reply, 404)
  if (page) return page
  const hint = addressHint(reply.server, request.url)
  return refuse(request, reply, oauthReason('no_such_address', hint), 404)
}

/** Answers all methods but POST at these paths with 405 and `Allow`, instead of 404 (RFC 9110 section 15.5.6). */
export function postOnly(app: FastifyInstance, ...paths: string[]): void {
  refuseOtherMethods(app, ['POST'], paths, (request, reply) => {
    reply.header('allow', 'POST')
    return (
      pageForPeople(request, reply, 405) ??
      refuse(request, reply, oauthReason('post_only', request.method), 405)
    )
  })
}

/** `anchor`: a cause on the page of the error. */
export function sendOauthError(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  error: OAuthErrorCode,
  explanation: string,
  anchor?: string,
): FastifyReply {
  // RFC 6749 section 5.2: the scheme that the client used in the Authorization header, which can only be Basic.
  if (status === 401) reply.header('www-authenticate', 'Basic realm="latchkey", charset="UTF-8"')
  noteCall(request, { code: error, detail: explanation, anchor })
  const uri = errorAddress(reply.server, error, anchor)
  return reply.status(status).send(oauthErrorOf(error, { explanation, uri, requestId: request.id }))
}

/** The errors of the token endpoints: RFC 6749 section 5.2, and two of section 4.1.2.1 for faults of the server. */
const tokenErrors = Object.entries<Entry>(oauthErrors)
  .filter(([, { sentBy }]) => sentBy.includes('oauth2'))
  .map(([code]) => code)

export const OAuthError = Type.Object(
  {
    error: Type.Unsafe<OAuthErrorCode>({
      type: 'string',
      enum: tokenErrors,
      description: 'What happened, for programs.',
    }),
    error_description: Type.String({ description: 'What happened and what to do, for people.' }),
    error_uri: Type.String({ description: 'The address of the page about this error.', format: 'uri' }),
    request_id: Type.String({ description: 'The `X-API-Request-ID` of the response.' }),
  },
  { $id: 'OAuthError', description: 'An error of the token endpoints (RFC 6749 section 5.2).' },
)
export type OAuthError = Static<typeof OAuthError>

export function oauthErrorOf(
  error: OAuthErrorCode,
  { explanation, uri, requestId }: { explanation: string; uri: string; requestId: string },
): OAuthError {
  return { error, error_description: explanation, error_uri: uri, request_id: requestId }
}

function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  { code, explanation, anchor }: ReturnType<typeof oauthReason>,
  status: number,
): FastifyReply {
  return sendOauthError(request, reply, status, code, explanation, anchor)
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context, Sandbox } from '../context.ts'
import { DatabaseUnavailable } from '../database/database.ts'
import { sendProblem } from '../http/api-edge.ts'
import { noteCall } from '../http/call-notes.ts'
import { logOnce } from '../http/log.ts'
import { sendOauthError } from '../http/oauth-edge.ts'
import { bearerRefusal, type TokenRefusal, tokenRefusal } from '../http/refusals.ts'
import { readBearer, sendBearerRefusal } from '../resource/bearer.ts'
import { LimitedCall } from '../resource/limited-call.ts'
import { findSubject } from '../resource/userinfo.routes.ts'
import { clientRequests } from '../tokens/client-request.ts'
import { introspect } from '../tokens/introspect.ts'
import { codeSeconds, refreshTokenDays } from '../tokens/lifetimes.ts'
import { sendTokenRefusal } from '../tokens/token.routes.ts'
import { sendLimited } from '../tokens/token-limits.ts'
import { isTokenRequest } from './clock.ts'

/** The request header that names the failure to make. */
const header = 'latchkey-sandbox'

const apiScenarios = [
  'too_many_requests',
  'unavailable',
  'internal_error',
  'expired_token',
  'revoked_token',
  'slow',
] as const
const tokenScenarios = [...apiScenarios, 'dropped_response'] as const
type Scenario = (typeof tokenScenarios)[number]

/** Slow answers of one server at a time. Further answers are not delayed, so that the header cannot keep the server busy. */
const maxSlow = 64

const retryAfterSeconds = '1'
const tooMany = `Too many requests. Wait for ${retryAfterSeconds} second.`

/** Makes the failure that an authenticated caller of the API requests. Another caller gets the true answer. */
export function apiFailures(app: FastifyInstance, context: Context): void {
  const { config, database } = context
  app.addHook('onRequest', async (request, reply) => {
    const wanted = request.headers[header]
    // A slow answer is the true one, which the route authenticates and counts.
    if (wanted === undefined || wanted === 'slow') return
    const bearer = readBearer(context, request.headers.authorization)
    if (bearer.kind === 'refused') return
    const call = new LimitedCall(context, request, reply, bearer)
    if (!(await call.mayRun())) return reply
    const caller = await database.shortReads.one(findSubject, [bearer.value])
    const { grant_id, client_id, user_id } = caller
    if (caller.refusal !== null || grant_id === null || client_id === null || user_id === null)
      return call.unauthenticated()
    noteCall(request, { grantId: grant_id })
    if (!(await call.mayBeAnswered({ clientId: client_id, userId: user_id }))) return reply
    const scenario = apiScenarios.find((known) => known === wanted)
    logScenario(request, scenario)
    switch (scenario) {
      case 'too_many_requests':
        return sendProblem(reply.header('retry-after', retryAfterSeconds), scenario, tooMany)
      case 'expired_token':
        return sendBearerRefusal(reply, config, bearerRefusal('expired'))
      case 'revoked_token':
        return sendBearerRefusal(reply, config, bearerRefusal('token_revoked'))
      case undefined:
        return sendProblem(reply, 'bad_request', unknownScenario(apiScenarios))
      default:
        throwFailure(scenario)
    }
  })
}

/** Makes the failure that an authenticated client requests at the token endpoint. Another client gets the true answer. */
export function tokenFailures(app: FastifyInstance, context: Context): void {
  const withClient = clientRequests(context)
  app.addHook('preHandler', async (request, reply) => {
    const wanted = request.headers[header]
    if (wanted === undefined || !isTokenRequest(request)) return
    const scenario = tokenScenarios.find((known) => known === wanted)
    // They need the true answer first, which authenticates the client.
    if (scenario === 'slow' || scenario === 'dropped_response') return
    const outcome = await withClient(request, reply, 'token', async (client, body) => {
      const authenticated = await introspect(context, { client, token: '' })
      return authenticated.kind === 'refused' ? authenticated : (refusalFor(scenario, body) ?? authenticated)
    })
    if (outcome.kind === 'limited') return sendLimited(request, reply, outcome)
    if (outcome.kind === 'refused') return sendTokenRefusal(request, reply, outcome)
    logScenario(request, scenario)
    if (scenario === undefined)
      return sendOauthError(request, reply, 400, 'invalid_request', unknownScenario(tokenScenarios))
    if (scenario === 'too_many_requests') {
      reply.header('retry-after', retryAfterSeconds)
      return sendOauthError(request, reply, 429, 'temporarily_unavailable', tooMany)
    }
    throwFailure(scenario)
  })
}

/** Delays or drops answers after everything has been done, and only successful ones: those of authenticated callers. */
export function lateFailures(app: FastifyInstance, sandbox: Sandbox): void {
  let slowAnswers = 0
  app.addHook('onSend', async (request, reply, payload) => {
    // The description of the API is also for callers without credentials.
    const isAuthenticated = reply.statusCode < 400 && request.routeOptions.config.operation !== undefined
    const scenario = isAuthenticated ? request.headers[header] : undefined
    if (scenario === 'slow' && slowAnswers < maxSlow) {
      slowAnswers += 1
      noteCall(request, { isSimulated: true })
      await untilClosed(reply, sandbox.slowAnswerMs).finally(() => {
        slowAnswers -= 1
      })
    }
    if (scenario === 'dropped_response' && isTokenRequest(request)) request.raw.socket.destroy()
    return payload
  })
}

/** Resolves after so many milliseconds, or when the client closes the connection. */
async function untilClosed({ raw }: FastifyReply, ms: number): Promise<void> {
  if (raw.destroyed) return
  const closed = new AbortController()
  const abort = () => closed.abort()
  raw.once('close', abort)
  await sleep(ms, undefined, { signal: closed.signal }).catch(() => {})
  raw.off('close', abort)
}

function refusalFor(
  scenario: Scenario | undefined,
  { grant_type: grantType }: Record<string, string>,
): TokenRefusal | undefined {
  const isCode = grantType === 'authorization_code'
  switch (scenario) {
    case 'expired_token':
      return isCode
        ? tokenRefusal('code_expired', String(codeSeconds))
        : tokenRefusal('refresh_token_expired', String(refreshTokenDays))
    case 'revoked_token':
      return tokenRefusal('ended_by_user')
    default:
      return undefined
  }
}

/** The error handler logs and answers these errors like real ones. */
function throwFailure(scenario: Scenario): void {
  if (scenario === 'unavailable') throw new DatabaseUnavailable(`the request says ${header}: ${scenario}`)
  if (scenario === 'internal_error') throw new Error(`the request says ${header}: ${scenario}`)
}

function unknownScenario(known: readonly string[]): string {
  return `Unknown value of the header Latchkey-Sandbox. This address knows ${known.join(', ')}.`
}

function logScenario(request: FastifyRequest, scenario: Scenario | undefined): void {
  logOnce(request, { event: 'sandbox', outcome: scenario ?? 'unknown_scenario' })
  noteCall(request, { isSimulated: true })
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { sendProblem } from '../http/api-edge.ts'
import { noteCall } from '../http/call-notes.ts'
import { logOnce } from '../http/log.ts'
import type { BearerRefusal } from '../http/refusals.ts'
import type { Admission, Caller, EarlyAdmission } from '../limits/limits.ts'
import { explainRefusal, isRefused, setRateLimitFields } from '../limits/rate-limit-fields.ts'
import { type BearerToken, sendBearerRefusal } from './bearer.ts'

/**
 * Refuses a token without a statement. Forged and malformed ones are failures of the source; tokens that were once issued
 * are not.
 */
export async function refuseBearer(
  { config, limits: { failures } }: Pick<Context, 'config' | 'limits'>,
  reply: FastifyReply,
  refusal: BearerRefusal,
): Promise<FastifyReply> {
  if (refusal.reason !== 'forged' && refusal.reason !== 'malformed')
    return sendBearerRefusal(reply, config, refusal)
  const { ip } = reply.request
  const seconds = await failures.refusedFor(ip)
  await failures.count(ip)
  if (seconds === undefined) return sendBearerRefusal(reply, config, refusal)
  return sendProblem(
    reply.header('retry-after', String(seconds)),
    'too_many_requests',
    `Too many invalid access tokens from your address. Try again in ${seconds} seconds.`,
  )
}

/**
 * The limits of one call of the API. A method that returns false has answered the call with 429. It does not return the reply,
 * because a reply is thenable: awaiting it would wait for the answer to be sent, and give undefined.
 */
export class LimitedCall {
  readonly #context: Pick<Context, 'limits'>
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  /** `BearerToken.value` */
  readonly #token: string
  #early: EarlyAdmission | undefined

  constructor(
    context: Pick<Context, 'limits'>,
    request: FastifyRequest,
    reply: FastifyReply,
    { value }: BearerToken,
  ) {
    this.#context = context
    this.#request = request
    this.#reply = reply
    this.#token = value
  }

  /** Before the statement: counts the call if its caller is known, so that a flood costs no statements. */
  async mayRun(): Promise<boolean> {
    this.#early = await this.#context.limits.admitEarly(this.#token)
    return !this.#early || this.#isWithin(this.#early.admission, this.#early.caller)
  }

  /** After the statement has authenticated the call: counts it, unless it is counted already. */
  async mayBeAnswered(caller: Caller): Promise<boolean> {
    const admission = await this.#context.limits.admit(this.#token, caller, this.#early)
    if (!admission || !this.#isWithin(admission, caller)) return !admission
    setRateLimitFields(this.#reply, admission)
    return true
  }

  /** The statement has refused the token, so the call does not count. */
  unauthenticated(): void {
    this.#context.limits.refuse(this.#token, this.#early)
  }

  #isWithin(admission: Admission, { clientId, userId }: Caller): boolean {
    if (!isRefused(admission)) return true
    noteCall(this.#request, { clientId, outcome: 'limited' })
    logOnce(this.#request, { event: 'read', outcome: 'limited', client_id: clientId, user_id: userId })
    setRateLimitFields(this.#reply, admission)
    sendProblem(this.#reply, 'too_many_requests', explainRefusal(admission))
    return false
  }
}

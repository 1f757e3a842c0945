import type { FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Context } from '../context.ts'
import { errorAddress } from '../http/addresses.ts'
import { sendProblem } from '../http/api-edge.ts'
import { logOnce } from '../http/log.ts'
import { type BearerRefusal, bearerRefusal } from '../http/refusals.ts'
import { parseToken } from '../secrets/token-format.ts'
import type { Caller, ManagementApi } from './api.ts'

/** Keys that this process has accepted, so that they are not refused because of others from their source. */
const mostKnownKeys = 1000

type Needed = Pick<Context, 'config' | 'database' | 'limits'>

/** Authenticates the requests to one API. A process has one for each. */
export class KeyAuthentication<C extends Caller, Right extends string> {
  readonly #api: ManagementApi<C, Right>
  readonly #context: Needed
  /** SHA-256 of each key as text. A hint: it proves nothing. */
  readonly #known = new Set<string>()

  readonly #quota: RateLimiterMemory | undefined

  constructor(api: ManagementApi<C, Right>, context: Needed) {
    this.#api = api
    this.#quota = api.quota && new RateLimiterMemory({ points: api.quota.most, duration: 60 })
    this.#context = context
  }

  /**
   * Finds the caller and checks the right, before anything else is read. Undefined: the request is answered with 401, 403 or
   * 429. @throws {DatabaseUnavailable}
   */
  async callerOf(request: FastifyRequest, reply: FastifyReply, right: Right): Promise<C | undefined> {
    const found = await this.#authenticate(request, reply)
    if (found === undefined) return undefined
    const { log, rights } = this.#api
    if ('reason' in found) {
      this.#refuse(reply, found)
      return undefined
    }
    if (!(await this.#isAdmitted(reply, found))) return undefined
    if (rights.may(found, right)) {
      logOnce(request, { event: log.event, [log.key]: found.id })
      return found
    }
    this.#refuse(reply, rights.refusal(right), { right, key: found.id })
    return undefined
  }

  async #authenticate(request: FastifyRequest, reply: FastifyReply): Promise<C | BearerRefusal | undefined> {
    const { config, database, limits } = this.#context
    const { kind, find, touch } = this.#api.keys
    const text = /^bearer ([A-Za-z0-9._~+/-]+=*)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (text === undefined) return bearerRefusal('key_missing')
    const parsed = parseToken(text, config.environment, kind)
    const known = parsed.kind === 'ok' && this.#known.has(parsed.hash.toString('hex'))
    const seconds = known ? undefined : await limits.failures.refusedFor(request.ip)
    if (seconds !== undefined) {
      const detail = `Too many invalid API keys from your address. Try again in ${seconds} seconds.`
      sendProblem(reply.header('retry-after', String(seconds)), 'too_many_requests', detail)
      return undefined
    }
    const found = parsed.kind === 'ok' ? await find(database, parsed.hash) : undefined
    if (parsed.kind === 'refused' || found === undefined) {
      await limits.failures.count(request.ip)
      return parsed.kind === 'refused'
        ? bearerRefusal(`key_${parsed.reason}`, parsed.explanation)
        : bearerRefusal('key_unknown')
    }
    const key = parsed.hash.toString('hex')
    this.#known.delete(key)
    if (found.state !== 'live') return bearerRefusal(`key_${found.state}`)
    this.#remember(key)
    // Not awaited, and not before the answer: a failed write of this time must not refuse the request.
    if (found.isUsedAgain) {
      touch(database, found.caller.id).catch((error: unknown) => request.log.error(error))
    }
    return found.caller
  }

  /** False: the request is answered with 429. */
  async #isAdmitted(reply: FastifyReply, caller: C): Promise<boolean> {
    const { quota } = this.#api
    if (!quota || !this.#quota) return true
    const used = await this.#quota.penalty(quota.of(caller))
    if (used.consumedPoints <= quota.most) return true
    const seconds = Math.ceil(used.msBeforeNext / 1000)
    const detail = `More than ${quota.most} requests in a minute. Try again in ${seconds} seconds.`
    sendProblem(reply.header('retry-after', String(seconds)), 'too_many_requests', detail)
    return false
  }

  #remember(key: string): void {
    this.#known.add(key)
    const [oldest] = this.#known
    if (this.#known.size > mostKnownKeys && oldest !== undefined) this.#known.delete(oldest)
  }

  /** 401 or 403, with the challenge of RFC 6750 section 3. */
  #refuse(
    reply: FastifyReply,
    { code, reason, explanation, anchor }: BearerRefusal,
    { right, key }: { right?: Right; key?: string } = {},
  ): void {
    const { realm, log, rights } = this.#api
    logOnce(reply.request, {
      event: log.event,
      outcome: reason,
      ...(key !== undefined && { [log.key]: key }),
    })
    const error = reason === 'key_missing' ? undefined : right ? 'insufficient_scope' : 'invalid_token'
    const challenge = [
      `realm="${realm}"`,
      ...(error ? [`error="${error}"`, `error_uri="${errorAddress(reply.server, code, anchor)}"`] : []),
      ...(right ? [`scope="${rights.challenge(right)}"`] : []),
    ]
    sendProblem(reply.header('www-authenticate', `Bearer ${challenge.join(', ')}`), code, explanation)
  }
}

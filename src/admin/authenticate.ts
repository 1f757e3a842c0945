import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { errorAddress } from '../http/addresses.ts'
import { sendProblem } from '../http/api-edge.ts'
import { logOnce } from '../http/log.ts'
import { type BearerRefusal, bearerRefusal } from '../http/refusals.ts'
import { parseToken } from '../secrets/token-format.ts'
import { findApiKey, touchApiKey } from './api-keys.sql.ts'
import { type Actor, isScope, may, type Scope } from './scopes.ts'

/** Keys that this process has accepted, so that they are not refused because of others from their source. */
const mostKnownKeys = 1000

/** Authenticates the requests to the admin API. A process has one. */
export class ApiKeyAuthentication {
  readonly #context: Pick<Context, 'config' | 'database' | 'limits'>
  /** SHA-256 of each key as text. A hint: it proves nothing. */
  readonly #known = new Set<string>()

  constructor(context: Pick<Context, 'config' | 'database' | 'limits'>) {
    this.#context = context
  }

  /**
   * Finds the actor of the request and checks its scope, before anything else is read. Undefined: the request is answered
   * with 401, 403 or 429. @throws {DatabaseUnavailable}
   */
  async actorOf(request: FastifyRequest, reply: FastifyReply, scope: Scope): Promise<Actor | undefined> {
    const found = await this.#authenticate(request, reply)
    if (found === undefined) return undefined
    if ('reason' in found) {
      sendKeyRefusal(reply, found)
      return undefined
    }
    if (may(found, scope)) {
      logOnce(request, { event: 'admin', api_key: found.id })
      return found
    }
    sendKeyRefusal(reply, bearerRefusal('scope_missing', scope), { scope, key: found.id })
    return undefined
  }

  async #authenticate(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Actor | BearerRefusal | undefined> {
    const { config, database, limits } = this.#context
    const text = /^bearer ([A-Za-z0-9._~+/-]+=*)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (text === undefined) return bearerRefusal('key_missing')
    const parsed = parseToken(text, config.environment, 'ak')
    const known = parsed.kind === 'ok' && this.#known.has(parsed.hash.toString('hex'))
    const seconds = known ? undefined : await limits.failures.refusedFor(request.ip)
    if (seconds !== undefined) {
      const detail = `Too many invalid API keys from your address. Try again in ${seconds} seconds.`
      sendProblem(reply.header('retry-after', String(seconds)), 'too_many_requests', detail)
      return undefined
    }
    const row = parsed.kind === 'ok' ? await database.maybe(findApiKey, [parsed.hash]) : undefined
    if (parsed.kind === 'refused' || row === undefined) {
      await limits.failures.count(request.ip)
      return parsed.kind === 'refused'
        ? bearerRefusal(`key_${parsed.reason}`, parsed.explanation)
        : bearerRefusal('key_unknown')
    }
    const key = parsed.hash.toString('hex')
    this.#known.delete(key)
    if (row.state !== 'live') return bearerRefusal(`key_${row.state}`)
    this.#remember(key)
    // Not awaited, and not before the answer: a failed write of this time must not refuse the request.
    if (row.is_used_again) {
      database.maybe(touchApiKey, [row.id]).catch((error: unknown) => request.log.error(error))
    }
    return { kind: 'api_key', id: row.id, name: row.name, scopes: new Set(row.scopes.filter(isScope)) }
  }

  #remember(key: string): void {
    this.#known.add(key)
    const [oldest] = this.#known
    if (this.#known.size > mostKnownKeys && oldest !== undefined) this.#known.delete(oldest)
  }
}

/** 401 or 403, with the challenge of RFC 6750 section 3. */
function sendKeyRefusal(
  reply: FastifyReply,
  { code, reason, explanation, anchor }: BearerRefusal,
  { scope, key }: { scope?: Scope; key?: string } = {},
): void {
  logOnce(reply.request, { event: 'admin', outcome: reason, ...(key !== undefined && { api_key: key }) })
  const error = reason === 'key_missing' ? undefined : scope ? 'insufficient_scope' : 'invalid_token'
  const challenge = [
    'realm="latchkey admin"',
    ...(error ? [`error="${error}"`, `error_uri="${errorAddress(reply.server, code, anchor)}"`] : []),
    ...(scope ? [`scope="${scope}"`] : []),
  ]
  sendProblem(reply.header('www-authenticate', `Bearer ${challenge.join(', ')}`), code, explanation)
}

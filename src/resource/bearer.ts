import type { FastifyReply, FastifyRequest } from 'fastify'
import { phishingResistantAcr, twoFactorAcr } from '../acr.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { ProblemCode, ProblemReason } from '../errors/catalogue.ts'
import { errorAddress } from '../http/addresses.ts'
import { sendProblem } from '../http/api-edge.ts'
import { noteCall } from '../http/call-notes.ts'
import { type BearerRefusal, bearerRefusal } from '../http/refusals.ts'
import { verifyAccessToken } from '../secrets/verified-tokens.ts'

export type BearerToken = {
  kind: 'presented'
  /** The value of `$1` in a statement that begins with `callerOf`: a row of the type access_token, as text. */
  value: string
  /** The same for all access tokens of a connection. Anyone could send this locator's token: only the statement checks it. */
  connectionKey: string
}
/** What the check of a token's text needs of the context. */
type Verifier = Pick<Context, 'keys' | 'now'> & { config: Pick<Config, 'environment'> }

export type Bearer = BearerToken | BearerRefusal

/**
 * Milliseconds. A token that has expired for longer than this by the server's clock is refused without a statement. Nearer
 * to its expiry, the database's clock decides (docs/adr/0006).
 */
const clockTolerance = 300_000

/**
 * Reads the Authorization header (RFC 6750 section 2.1): one scheme, one space, one token and nothing else. A token in the
 * query, which servers log, is not read: it only changes the explanation.
 */
export function readBearer(
  verifier: Verifier,
  authorization: string | undefined,
  query: unknown = undefined,
): Bearer {
  if (authorization === undefined) return bearerRefusal(hasToken(query) ? 'token_in_query' : 'missing')
  const token = /^bearer ([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
  if (token === undefined) {
    // A token alone, or after another word than Bearer.
    return bearerRefusal(/^((?!bearer)\w+ )?lk_/i.test(authorization) ? 'no_scheme' : 'malformed_header')
  }
  return presented(verifier, token)
}

/** Reads the header, or the `access_token` of a form body (RFC 6750 section 2.2). Not the query, which servers log. */
export function readBearerOfForm(verifier: Verifier, { headers, body, query }: FastifyRequest): Bearer {
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '')
  const token: unknown = isForm && hasToken(body) ? body.access_token : undefined
  if (token === undefined) return readBearer(verifier, headers.authorization, query)
  if (typeof token !== 'string' || headers.authorization !== undefined) {
    return bearerRefusal('ambiguous')
  }
  return presented(verifier, token)
}

function hasToken(parameters: unknown): parameters is { access_token: unknown } {
  return typeof parameters === 'object' && parameters !== null && 'access_token' in parameters
}

function presented({ config, keys, now }: Verifier, text: string): Bearer {
  const parsed = verifyAccessToken(text, config.environment, keys)
  if (parsed.kind === 'refused') {
    return 'explanation' in parsed
      ? bearerRefusal(parsed.reason, parsed.explanation)
      : bearerRefusal(parsed.reason)
  }
  const { locatorHash, nonce, expiresAt } = parsed.token
  if (expiresAt.getTime() + clockTolerance < now().getTime()) return bearerRefusal('expired')
  const connectionKey = locatorHash.toString('hex')
  const value = `("\\\\x${connectionKey}","\\\\x${nonce.toString('hex')}",${expiresAt.toISOString()})`
  return { kind: 'presented', value, connectionKey }
}

/**
 * Sends the challenge of RFC 6750 section 3. It also links to the metadata that names the authorization server (RFC 9728
 * section 5.1), but not at the root of the origin: the metadata describes {base_url}, and a client must refuse metadata that
 * does not describe the address it called (section 3.3).
 */
export function sendBearerRefusal(
  reply: FastifyReply,
  config: Config,
  { code, reason, explanation, anchor }: BearerRefusal,
  whose?: { client_id: string | null; user_id: string | null; grant_id: string | null },
): FastifyReply {
  reply.request.log.info({
    event: 'bearer',
    outcome: reason,
    ...(whose && { client_id: whose.client_id, user_id: whose.user_id }),
  })
  noteCall(reply.request, { outcome: reason, anchor, grantId: whose?.grant_id })
  const error = bearerErrors.get(code)
  const acr = requiredAcrs.get(reason)
  const base = new URL(config.baseUrl)
  const challenge = [
    'realm="latchkey"',
    ...(error === undefined
      ? []
      : [
          `error="${error}"`,
          `error_description="${explanation}"`,
          `error_uri="${errorAddress(reply.server, code, anchor)}"`,
        ]),
    ...(acr === undefined ? [] : [`acr_values="${acr}"`]),
    ...(reply.request.url.startsWith(base.pathname)
      ? [`resource_metadata="${base.origin}${resourceMetadataPath(config)}"`]
      : []),
  ]
  return sendProblem(reply.header('www-authenticate', `Bearer ${challenge.join(', ')}`), code, explanation)
}

/** The errors of RFC 6750 section 3.1. A request without an access token gets none. */
const bearerErrors = new Map<ProblemCode, string>([
  ['bad_request', 'invalid_request'],
  ['invalid_token', 'invalid_token'],
  ['insufficient_user_authentication', 'insufficient_user_authentication'], // RFC 9470 section 3
])

/** What the user has to log in with, for `acr_values` of the challenge. */
const requiredAcrs = new Map<ProblemReason, string>([
  ['two_factors_required', twoFactorAcr],
  ['passkey_required', phishingResistantAcr],
])

/** The path of the API's own metadata: between the host and the path of what it describes (RFC 9728 section 3.1). */
export function resourceMetadataPath({ baseUrl }: Config): string {
  return `/.well-known/oauth-protected-resource${new URL(baseUrl).pathname}`
}

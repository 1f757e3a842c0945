import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { sendOauthError } from '../http/oauth-edge.ts'
import type { TokenRefusal } from '../http/refusals.ts'
import type { Limits } from '../limits/limits.ts'
import { explainRefusal, isRefused, setRateLimitFields } from '../limits/rate-limit-fields.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import { parseRefreshToken } from '../secrets/connection-token.ts'
import { sha256 } from '../secrets/token-format.ts'

/** The endpoints with client authentication. */
export type ClientEndpoint = 'token' | 'revoke' | 'introspect'

/** The request was not carried out, because a quota of its client is used up. */
export type Limited = { kind: 'limited'; explanation: string }

type ClientRequest = { endpoint: ClientEndpoint; client: ClientCredential; body: Record<string, string> }

/**
 * Carries out a request that the limits of its client and of its source permit, and adds the fields about the quotas to the
 * reply. A revocation counts for no quota, because it must always be possible.
 * @throws {DatabaseUnavailable}
 */
export async function withinLimits<Done extends { kind: string }>(
  context: Context,
  reply: FastifyReply,
  request: ClientRequest,
  act: () => Promise<Done | TokenRefusal>,
): Promise<Done | TokenRefusal | Limited> {
  const { limits } = context
  const { client, endpoint, body } = request
  const source = await limitedSource(limits, reply, client)
  if (source) return source
  const counts = endpoint !== 'revoke'
  const admission = counts && (await limits.admitTokenRequest(client, () => connectionKeyOf(context, body)))
  if (admission && isRefused(admission)) {
    setRateLimitFields(reply, admission)
    return { kind: 'limited', explanation: explainRefusal(admission) }
  }
  const outcome = await act()
  if (isInvalidClient(outcome)) {
    limits.forget(client)
    if (admission) limits.giveBack(admission)
    return outcome
  }
  // A refusal does not prove that the client is authenticated: some faults of a request are found before.
  if (limits.failures.isOn && outcome.kind !== 'refused') limits.learn(client)
  if (admission) setRateLimitFields(reply, admission)
  return outcome
}

/** A credential that was right before is accepted from any source: others may have failed there. */
async function limitedSource(
  limits: Limits,
  reply: FastifyReply,
  client: ClientCredential,
): Promise<Limited | undefined> {
  const { failures } = limits
  if (!failures.isOn || limits.isKnown(client)) return undefined
  const seconds = await failures.refusedFor(reply.request.ip)
  if (seconds === undefined) return undefined
  reply.header('retry-after', String(seconds))
  return {
    kind: 'limited',
    explanation: `Too many failed requests from your address. Try again in ${seconds} seconds.`,
  }
}

export function isInvalidClient(outcome: { kind: string } | TokenRefusal): boolean {
  return outcome.kind === 'refused' && 'error' in outcome && outcome.error === 'invalid_client'
}

/** The connection of a refresh. Undefined for another request, and for a text that is not a refresh token. */
function connectionKeyOf({ config, keys }: Context, body: Record<string, string>): string | undefined {
  const parsed = parseRefreshToken(body.refresh_token ?? '', config.environment, keys)
  return parsed.kind === 'ok' ? sha256(parsed.token.locator).toString('hex') : undefined
}

/**
 * 429 with the code for a server that cannot handle the request now (RFC 6749 section 4.1.2.1). Section 5.2 has none, and
 * clients treat all of its codes as final: `slow_down` is only for the device flow (RFC 8628).
 */
export function sendLimited(
  request: FastifyRequest,
  reply: FastifyReply,
  { explanation }: Limited,
): FastifyReply {
  return sendOauthError(request, reply, 429, 'temporarily_unavailable', explanation)
}

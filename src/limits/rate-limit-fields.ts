import type { FastifyReply } from 'fastify'
import type { Admission } from './limits.ts'
import { windowSeconds } from './quotas.ts'

/**
 * Adds `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10): structured fields with one item for each
 * policy that applies. If the request is refused, also `Retry-After`.
 */
export function setRateLimitFields(reply: FastifyReply, admission: Admission): void {
  const { policies, taken, secondsLeft } = admission
  const limits = policies.map(({ name, most }) => `"${name}";q=${most};w=${windowSeconds}`)
  const states = policies.map(
    ({ name }, n) => `"${name}";r=${taken.quotas[n]?.remaining ?? 0};t=${secondsLeft}`,
  )
  reply.header('ratelimit-policy', limits.join(', ')).header('ratelimit', states.join(', '))
  if (isRefused(admission)) reply.header('retry-after', String(secondsLeft))
}

export function isRefused({ taken }: Admission): boolean {
  return taken.kind === 'refused'
}

const counted = {
  partner: 'requests of this application',
  user: 'requests of this application for this user',
  token: 'token requests of this application',
  refresh: 'refreshes of this connection',
}

/** Names the quota that is used up, for the client. ASCII without quotation marks (RFC 6749 section 5.2). */
export function explainRefusal({ policies, taken, secondsLeft }: Admission): string {
  const usedUp = policies.find((_, n) => taken.quotas[n]?.remaining === 0) ?? policies[0]
  if (!usedUp) throw new Error('a request without limits was refused')
  const { name, most } = usedUp
  return `Too many ${counted[name]}: the limit is ${most} per minute. Try again in ${secondsLeft} seconds.`
}

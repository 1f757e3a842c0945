import { systemOrigin } from '../../src/audit/origin.ts'
import type { LimitChanges, LimitSettings } from '../../src/limit-settings.ts'
import { updatePartner } from '../../src/partners/update-partner.ts'
import type { TestPartner, TestServer } from './server.ts'

/** One member of `RateLimit-Policy` or `RateLimit`: the name of the policy and its parameters. */
export type RateLimitItem = { policy: string } & Record<string, string | number>

/**
 * Parses a List of Strings with Integer parameters (RFC 9651 sections 3.1 and 3.3.3), the form of both fields.
 * @throws if the text has another form
 */
export function parseRateLimit(field: string | null): RateLimitItem[] {
  if (field === null) return []
  return field.split(/, */).map((member) => {
    const [, policy, parameters] = /^"([ !#-[\]-~]*)"((?:;[a-z]+=-?\d{1,15})*)$/.exec(member) ?? []
    if (policy === undefined || parameters === undefined) throw new Error(`not a quota: ${member}`)
    const pairs = [...parameters.matchAll(/;([a-z]+)=(-?\d+)/g)]
    return { policy, ...Object.fromEntries(pairs.map(([, name, value]) => [name, Number(value)])) }
  })
}

/** The operator changes the limits of a partner, and the servers learn it. */
export async function setLimits(
  servers: [TestServer, ...TestServer[]],
  { clientId }: Pick<TestPartner, 'clientId'>,
  limits: LimitChanges,
): Promise<LimitSettings> {
  const outcome = await updatePartner(servers[0].database, systemOrigin, 'sandbox', clientId, { limits })
  if (outcome.kind !== 'updated') throw new Error(`the limits were not set: ${outcome.kind}`)
  for (const { context } of servers) await context.limits.refresh()
  return outcome.partner.limits
}

/** Moves the clock, which must be movable, to the first second of the next window, so that a test stays inside it. */
export async function nextWindow({ context, passTime }: TestServer): Promise<void> {
  await passTime(61 - (Math.floor(context.now().getTime() / 1000) % 60))
}

/** Sends all requests, so many at a time. @returns their results in order */
export async function inParallel<T>(
  count: number,
  atOnce: number,
  send: (n: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  for (let n = 0; n < count; n += atOnce) {
    const batch = Array.from({ length: Math.min(atOnce, count - n) }, (_, place) => send(n + place))
    results.push(...(await Promise.all(batch)))
  }
  return results
}

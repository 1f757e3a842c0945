/** `within`: no further apart than that, whichever is the larger. */
export type Limit = { atLeast: number } | { atMost: number } | { within: number }

/** What was asked for, and what came out: a ratio. */
export type Verdict = { goal: string; limit: Limit; measured: number }

/** How far past the goal: 1 is just met, 2 twice as good as asked for, 0.5 half. */
export function score({ limit, measured }: Verdict): number {
  if ('atLeast' in limit) return measured / limit.atLeast
  if ('atMost' in limit) return limit.atMost / measured
  return limit.within / Math.max(measured, 1 / measured)
}

/** Too short a round has no calls in it, or less CPU time than can be counted. */
export function isMeasured({ measured }: Verdict): boolean {
  return Number.isFinite(measured) && measured > 0
}

export function isMet(verdict: Verdict): boolean {
  return isMeasured(verdict) && score(verdict) >= 1
}

export function limitText(limit: Limit): string {
  if ('atLeast' in limit) return `at least ${limit.atLeast}×`
  return 'atMost' in limit ? `at most ${limit.atMost}×` : `within ${limit.within}×`
}

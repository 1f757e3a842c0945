/** `within`: the ratio is at most so many times larger or smaller. */
export type Limit = { atLeast: number } | { atMost: number } | { within: number }

/** A goal, its limit, and the measured ratio. */
export type Verdict = { goal: string; limit: Limit; measured: number }

/** 1 just meets the goal, 2 is twice as good, 0.5 half as good. */
export function score({ limit, measured }: Verdict): number {
  if ('atLeast' in limit) return measured / limit.atLeast
  if ('atMost' in limit) return limit.atMost / measured
  return limit.within / Math.max(measured, 1 / measured)
}

/** False if a round was too short: no calls, or less CPU time than one tick. */
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

import { instructionsUnit, meter } from './cost.ts'

/** The unit of an absolute limit. Without one, the limit is a ratio. */
export type Unit = typeof instructionsUnit | 'bytes' | '%'

/** `within`: the ratio is at most so many times larger or smaller. */
export type Limit = { atLeast: number; unit?: Unit } | { atMost: number; unit?: Unit } | { within: number }

/** A goal, its limit, and what was measured: a ratio, or an amount in the limit's unit. NaN if it was not measured. */
export type Verdict = { goal: string; limit: Limit; measured: number }

/** 1 just meets the goal, 2 is twice as good, 0.5 half as good. */
export function score({ limit, measured }: Verdict): number {
  if ('atLeast' in limit) return measured / limit.atLeast
  if ('atMost' in limit) return limit.atMost / measured
  return limit.within / Math.max(measured, 1 / measured)
}

/** False if a round was too short: no calls, or less CPU time than one tick. Also where a unit cannot be measured. */
export function isMeasured({ measured }: Verdict): boolean {
  return Number.isFinite(measured) && measured > 0
}

export function isMet(verdict: Verdict): boolean {
  return isMeasured(verdict) && score(verdict) >= 1
}

export function unitOf(limit: Limit): Unit | undefined {
  return 'unit' in limit ? limit.unit : undefined
}

export function whyNotMeasured({ limit }: Verdict): string {
  const isUncountable = unitOf(limit) === instructionsUnit && meter().unit !== instructionsUnit
  return isUncountable ? 'not measured: perf counts no instructions here' : 'not measured'
}

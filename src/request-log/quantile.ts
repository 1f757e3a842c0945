import { durationBounds } from './call-hours.sql.ts'

/**
 * The duration that this share of the calls does not exceed, in milliseconds. As Prometheus does it: evenly spread within the
 * bounds. Of calls above the last bound, only the bound is known.
 * @param counts calls by duration: one more than `durationBounds`
 * @returns null if there were no calls
 */
export function quantile(counts: number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let before = 0
  for (const [n, count] of counts.entries()) {
    const upper = durationBounds[n]
    if (upper === undefined) break
    if (before + count >= total * share) {
      const lower = durationBounds[n - 1] ?? 0
      return lower + ((total * share - before) / count) * (upper - lower)
    }
    before += count
  }
  return durationBounds.at(-1) ?? null
}

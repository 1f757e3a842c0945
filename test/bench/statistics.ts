export function median(values: number[]): number {
  return quantile(values, 0.5)
}

/** The nearest rank. NaN for no values. */
export function quantile(values: number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** How far apart the rounds are: half of the way from the slowest to the fastest, as a share of the median. */
export function spread(values: number[]): number {
  return (Math.max(...values) - Math.min(...values)) / 2 / median(values)
}

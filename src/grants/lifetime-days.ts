/** A consent is valid for 1 to this many days, if it has an end. Migration 0027 checks it too. */
export const longestLifetimeDays = 3650

/** @throws {Error} that says what the days for which a consent is valid must be */
export function parseLifetimeDays(text: string): number {
  const days = Number(text)
  if (!/^\d{1,4}$/.test(text) || days < 1 || days > longestLifetimeDays)
    throw new Error(`must be a number of days from 1 to ${longestLifetimeDays}, not "${text}"`)
  return days
}

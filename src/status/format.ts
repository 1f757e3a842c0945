import type { Language } from '../web/languages/languages.ts'

/** How the page shows a value that is missing. */
const missing = '–'

/**
 * Makes a function once for each language. Making a format takes much longer than using it, and the page has hundreds of
 * values.
 */
function perLanguage<T>(make: (language: Language) => T): (language: Language) => T {
  const made = new Map<Language, T>()
  return (language) => {
    const known = made.get(language) ?? make(language)
    made.set(language, known)
    return known
  }
}

/** Formats a day such as `2026-11-22`, or a month such as `2026-11`. */
export function dates(options: Intl.DateTimeFormatOptions): (day: string, language: Language) => string {
  const format = perLanguage((language) => new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }))
  return (day, language) => format(language).format(new Date(day))
}

function numbers(options: Intl.NumberFormatOptions): (value: number, language: Language) => string {
  const format = perLanguage((language) => new Intl.NumberFormat(language, options))
  return (value, language) => format(language).format(value)
}

const percent = numbers({ style: 'percent', maximumFractionDigits: 3 })

/** Rounded down: 100 % means that there was no outage. */
export function availabilityText(share: number | null, language: Language): string {
  return share === null ? missing : percent(Math.floor(share * 1e5) / 1e5, language)
}

/** For shares that may be very small. */
export const shareText = numbers({ style: 'percent', maximumSignificantDigits: 2 })

const milliseconds = numbers({ style: 'unit', unit: 'millisecond', unitDisplay: 'short' })
const seconds = numbers({ style: 'unit', unit: 'second', unitDisplay: 'short' })

/** From a second on in seconds. */
export function millisecondsText(ms: number | null, language: Language): string {
  if (ms === null) return missing
  return ms < 1000 ? milliseconds(ms, language) : seconds(ms / 1000, language)
}

const units = [
  { size: 86_400, text: numbers({ style: 'unit', unit: 'day', unitDisplay: 'long' }) },
  { size: 3600, text: numbers({ style: 'unit', unit: 'hour', unitDisplay: 'long' }) },
  { size: 60, text: numbers({ style: 'unit', unit: 'minute', unitDisplay: 'long' }) },
  { size: 1, text: numbers({ style: 'unit', unit: 'second', unitDisplay: 'long' }) },
]

/** The two largest units: "3 minutes 12 seconds". */
export function durationText(length: number, language: Language): string {
  const largest = units.findIndex(({ size }) => length >= size)
  let rest = length
  const parts = units.slice(largest, largest + 2).flatMap(({ size, text }) => {
    const amount = Math.floor(rest / size)
    rest -= amount * size
    return amount > 0 ? text(amount, language) : []
  })
  return parts.join(' ')
}

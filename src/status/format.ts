import type { Language } from '../web/languages/languages.ts'

/** How the page shows a value that is missing. */
const missing = '–'

/** Rounded down: 100 % means that there was no outage. */
export function availabilityText(share: number | null, language: Language): string {
  if (share === null) return missing
  const format = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 3 })
  return format.format(Math.floor(share * 1e5) / 1e5)
}

export function shareText(share: number, language: Language): string {
  return new Intl.NumberFormat(language, { style: 'percent', maximumSignificantDigits: 2 }).format(share)
}

export function millisecondsText(ms: number | null, language: Language): string {
  if (ms === null) return missing
  return ms < 1000
    ? unitText(ms, 'millisecond', 'short', language)
    : unitText(ms / 1000, 'second', 'short', language)
}

/** The two largest units: "3 minutes 12 seconds". */
export function durationText(seconds: number, language: Language): string {
  const parts = [
    ['day', Math.floor(seconds / 86_400)],
    ['hour', Math.floor(seconds / 3600) % 24],
    ['minute', Math.floor(seconds / 60) % 60],
    ['second', seconds % 60],
  ] as const
  const first = parts.findIndex(([, amount]) => amount > 0)
  const shown = first === -1 ? parts.slice(-1) : parts.slice(first, first + 2)
  return shown
    .filter(([, amount]) => amount > 0 || first === -1)
    .map(([unit, amount]) => unitText(amount, unit, 'long', language))
    .join(' ')
}

function unitText(amount: number, unit: string, unitDisplay: 'short' | 'long', language: Language): string {
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay }).format(amount)
}

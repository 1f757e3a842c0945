import type { Language } from '../languages/languages.ts'

const day = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
  timeZoneName: 'short',
} as const
const minute = { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

/** Date and time to the minute, in UTC: the server does not know the reader's time zone. */
export function Moment({ at, language }: { at: Date; language: Language }) {
  return <time datetime={at.toISOString()}>{new Intl.DateTimeFormat(language, minute).format(at)}</time>
}

/** The day in UTC. */
export function Day({ at, language }: { at: Date; language: Language }) {
  return <time datetime={at.toISOString()}>{new Intl.DateTimeFormat(language, day).format(at)}</time>
}

export function Amount({ of, language }: { of: number; language: Language }) {
  return <>{new Intl.NumberFormat(language).format(of)}</>
}

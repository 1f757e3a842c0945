import type { Answer } from './answers.ts'

type Range = { since?: string; until?: string }

/** The instants of a query in UTC, because PostgreSQL does not read all offsets that RFC 3339 allows. */
export function rangeOf({ since, until }: Range): Range | { problem: Answer } {
  const range: Range = {}
  for (const [name, text] of Object.entries({ since, until })) {
    if (text === undefined) continue
    const instant = new Date(text)
    if (Number.isNaN(instant.getTime())) {
      const errors = [{ parameter: name, detail: 'is not an instant' }]
      return {
        problem: { kind: 'problem', code: 'invalid_parameter', detail: `${name} is not an instant.`, errors },
      }
    }
    Object.assign(range, { [name]: instant.toISOString() })
  }
  return range
}

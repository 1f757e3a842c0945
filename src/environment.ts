import type { Environment } from './config.ts'

const marks = { sandbox: 'test', production: 'live' } as const

/** The part of client ids and tokens from which people and secret scanners can tell their environment. */
export function markOf(environment: Environment): 'test' | 'live' {
  return marks[environment]
}

/** A group of a regular expression that matches the mark of either environment. */
export const anyMark = `(${Object.values(marks).join('|')})`

/** The other environment, and what its client ids and tokens begin with. */
export function foreignMark(environment: Environment): { environment: Environment; mark: string } {
  const other = environment === 'sandbox' ? 'production' : 'sandbox'
  return { environment: other, mark: marks[other] }
}

/** The other environment, when the mark is one of its. */
export function foreignTo(environment: Environment, mark: string | undefined): Environment | undefined {
  const other = foreignMark(environment)
  return mark === other.mark ? other.environment : undefined
}

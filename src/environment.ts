import type { Environment } from './config.ts'

const marks = { sandbox: 'test', production: 'live' } as const

/** What client ids and tokens begin with, so that anyone who finds one can see its environment. */
export function markOf(environment: Environment): 'test' | 'live' {
  return marks[environment]
}

/** Either mark, for a regular expression. */
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

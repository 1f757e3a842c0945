export type Environment = 'sandbox' | 'production'

const marks = { sandbox: 'test', production: 'live' } as const

/** The part of client ids and tokens that shows people and secret scanners the environment. */
export function markOf(environment: Environment): 'test' | 'live' {
  return marks[environment]
}

/** A group of a regular expression that matches the mark of either environment. */
export const anyMark = `(${Object.values(marks).join('|')})`

/** The other environment, and the mark of its client ids and tokens. */
export function foreignMark(environment: Environment): { environment: Environment; mark: string } {
  const other = environment === 'sandbox' ? 'production' : 'sandbox'
  return { environment: other, mark: marks[other] }
}

/** Returns the other environment if the mark belongs to it. */
export function foreignTo(environment: Environment, mark: string | undefined): Environment | undefined {
  const other = foreignMark(environment)
  return mark === other.mark ? other.environment : undefined
}

/**
 * The people who are not users of the platform: operators, who use the console, and developers of partners, who use the
 * developer pages. Each kind has its own tables (`operators`, `operator_sessions`, …), cookies, addresses and counts of
 * failures. The code is the same.
 */
export type PeopleKind = 'operator' | 'developer'

/** @returns what `of` makes for each kind */
export function forEachKind<T>(of: (kind: PeopleKind) => T): Record<PeopleKind, T> {
  return { operator: of('operator'), developer: of('developer') }
}

/** The path below which the pages of a kind are. */
export const homeOf = { operator: '/admin', developer: '/developers' } as const

/** Through which interface they make changes, for the audit log. */
export const viaOf = { operator: 'console', developer: 'developer_pages' } as const

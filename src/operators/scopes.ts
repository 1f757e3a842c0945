/** What the admin API and the console are divided into. */
const areas = [
  'partners',
  'users',
  'directory',
  'grants',
  'keys',
  'audit',
  'logs',
  'settings',
  'operators',
  'incidents',
] as const
type Area = (typeof areas)[number]

/** What an actor may do. `write` includes `read` of the same area. */
export type Scope = `${Area}:${'read' | 'write'}`

export const scopes: readonly Scope[] = areas.flatMap((area): Scope[] => [`${area}:read`, `${area}:write`])

/** Owner: everything. Support: reads everything, and helps users. Read-only: reads everything. */
export const roles = ['owner', 'support', 'read_only'] as const
export type Role = (typeof roles)[number]

const reading = scopes.filter((scope) => scope.endsWith(':read'))

const scopesByRole: Record<Role, ReadonlySet<Scope>> = {
  owner: new Set(scopes),
  support: new Set([...reading, 'users:write', 'grants:write', 'incidents:write']),
  read_only: new Set(reading),
}

export function isRole(text: string): text is Role {
  return roles.some((role) => role === text)
}

export function scopesOf(role: Role): ReadonlySet<Scope> {
  return scopesByRole[role]
}

/** Who uses the admin API (an API key) or the console (an operator). `name` is for people who read the audit log. */
export type Actor = {
  kind: 'operator' | 'api_key'
  id: string
  name: string
  scopes: ReadonlySet<Scope>
}

export function may({ scopes: given }: Pick<Actor, 'scopes'>, scope: Scope): boolean {
  return given.has(scope) || writing.get(scope)?.some((wider) => given.has(wider)) === true
}

/** The scopes that include a scope for reading. */
const writing = new Map(areas.map((area): [Scope, Scope[]] => [`${area}:read`, [`${area}:write`]]))

export function isScope(text: string): text is Scope {
  return scopes.some((scope) => scope === text)
}

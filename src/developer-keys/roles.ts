import Type, { type Static } from '../typebox.ts'

/** What developers and developer keys of a partner may do: see `roleRights`. */
export const DeveloperRole = Type.Union([
  Type.Literal('admin'),
  Type.Literal('developer'),
  Type.Literal('viewer'),
])
export type DeveloperRole = Static<typeof DeveloperRole>

/** Each role includes what those before it allow. */
export const developerRoles: readonly DeveloperRole[] = ['viewer', 'developer', 'admin']

/** What each role allows, for descriptions of APIs. */
export const roleRights =
  '`viewer` reads; `developer` also changes the application; `admin` also decides about people and developer keys, and asks to go live.'

/** The same for the help of a command. */
export const plainRoleRights = roleRights.replaceAll('`', '').slice(0, -1)

/** Whether a role allows what `least` allows. */
export function allows(role: DeveloperRole, least: DeveloperRole): boolean {
  return developerRoles.indexOf(role) >= developerRoles.indexOf(least)
}

/** Whether a text is the name of a role. */
export function isDeveloperRole(text: string): text is DeveloperRole {
  return developerRoles.some((role) => role === text)
}

/**
 * What developers and developer keys of a partner may do, each more than the one before. Viewer: reads. Developer: also changes
 * the application. Admin: also manages developers and keys.
 */
export const developerRoles = ['viewer', 'developer', 'admin'] as const
export type DeveloperRole = (typeof developerRoles)[number]

export function includesRole(role: DeveloperRole, needed: DeveloperRole): boolean {
  return developerRoles.indexOf(role) >= developerRoles.indexOf(needed)
}

export function isDeveloperRole(text: string): text is DeveloperRole {
  return developerRoles.some((role) => role === text)
}

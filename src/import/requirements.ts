import Type, { Compile } from '../typebox.ts'
import type { Staged } from './staged.ts'

/**
 * What an import takes away from required logins (`firm update`, `role update`). The operator sets these, and no file has them.
 */
export type WeakerLogins = {
  /** Ids of users whose new firm and role require a weaker login than the old ones, in order. */
  users: string[]
  /** Firms and roles with such settings that are removed, as `firm f1`, in order. */
  removed: string[]
}

const names = Compile(Type.Array(Type.Object({ name: Type.String() })))

/** Runs before the merge, when the staged rows and those to remove are known. A new firm or role requires nothing. */
export async function findWeakerLogins(staged: Staged): Promise<WeakerLogins> {
  const list = async (sql: string) => names.Parse(await staged.find(sql)).map(({ name }) => name)
  const [users, removed] = await Promise.all([list(usersWithWeakerLogin), list(removedSettings)])
  return { users, removed }
}

const usersWithWeakerLogin = `
  SELECT u.id AS name
    FROM staged_users s JOIN users u USING (id)
    JOIN firms f ON f.id = u.firm_id JOIN roles r ON r.name = u.role
    LEFT JOIN firms new_firm ON new_firm.id = s.firm_id LEFT JOIN roles new_role ON new_role.name = s.role
   WHERE greatest(f.require_level, r.require_level) > greatest(new_firm.require_level, new_role.require_level, 1)
   ORDER BY u.id`

const removedSettings = `
  SELECT 'firm ' || id AS name FROM removed_firms WHERE require_acr IS NOT NULL OR NOT local_passwords
   UNION ALL
  SELECT 'role ' || name FROM removed_roles WHERE require_acr IS NOT NULL
   ORDER BY 1`

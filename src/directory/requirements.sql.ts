import { auditRow, changedFields, jsonOf } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'

const Acr = Type.Union([Type.String(), Type.Null()])

const ListedFirm = Type.Object({
  id: Type.String(),
  name: Type.String(),
  /** The weakest `acr` with which its users may connect. */
  require_acr: Acr,
  /** Whether its users may log in with a password of this server. */
  local_passwords: Type.Boolean(),
})
export type ListedFirm = Static<typeof ListedFirm>

const firmSettings = ['require_acr', 'local_passwords']
const firmColumns = 'id, name, require_acr, local_passwords'

export const listFirms = statement('list_firms', ListedFirm, `SELECT ${firmColumns} FROM firms ORDER BY id`)

/**
 * Null does not change a setting. $1 id, $2 required `acr` (empty: none), $3 whether local passwords are allowed,
 * $4 origin. No row: the firm does not exist.
 */
export const updateFirm = statement(
  'update_firm',
  ListedFirm,
  `WITH old AS (
     SELECT id, require_acr, local_passwords FROM firms WHERE id = $1 FOR NO KEY UPDATE
   ), changed AS (
     UPDATE firms SET require_acr = nullif(coalesce($2, require_acr), ''), local_passwords = coalesce($3, local_passwords)
      WHERE id = (SELECT id FROM old) RETURNING ${firmColumns}
   ), recorded AS (
     ${auditRow('firm.updated', {
       origin: '$4',
       from: 'changed JOIN old USING (id)',
       target: { kind: 'firm', id: 'changed.id' },
       about: { firm: 'changed.id' },
       details: changedFields(jsonOf('old', firmSettings), jsonOf('changed', firmSettings)),
     })}
   )
   SELECT ${firmColumns} FROM changed`,
)

const ListedRole = Type.Object({
  name: Type.String(),
  sees: Type.Union([Type.Literal('firm'), Type.Literal('granted')]),
  require_acr: Acr,
})
export type ListedRole = Static<typeof ListedRole>

export const listRoles = statement(
  'list_roles',
  ListedRole,
  'SELECT name, sees, require_acr FROM roles ORDER BY name',
)

/** $1 name, $2 required `acr`, null: none, $3 origin. No row: the role does not exist. */
export const updateRole = statement(
  'update_role',
  ListedRole,
  `WITH old AS (
     SELECT name, require_acr FROM roles WHERE name = $1 FOR NO KEY UPDATE
   ), changed AS (
     UPDATE roles SET require_acr = $2 WHERE name = (SELECT name FROM old) RETURNING name, sees, require_acr
   ), recorded AS (
     ${auditRow('role.updated', {
       origin: '$3',
       from: 'changed JOIN old USING (name)',
       target: { kind: 'role', id: 'changed.name' },
       details: changedFields(jsonOf('old', ['require_acr']), jsonOf('changed', ['require_acr'])),
     })}
   )
   SELECT name, sees, require_acr FROM changed`,
)

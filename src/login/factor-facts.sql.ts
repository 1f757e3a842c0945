import { statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'

/** Which second factors a user has, and what the user's firm and role require. */
export const FactorFacts = Type.Object({
  has_passkey: Type.Boolean(),
  has_totp: Type.Boolean(),
  firm_require_acr: Type.Union([Type.String(), Type.Null()]),
  role_require_acr: Type.Union([Type.String(), Type.Null()]),
})
export type FactorFacts = Static<typeof FactorFacts>

/** The columns of `FactorFacts` for the user `u`. */
export const factorColumns = `
  EXISTS (SELECT FROM passkeys k WHERE k.user_id = u.id) AS has_passkey,
  EXISTS (SELECT FROM totp_secrets t WHERE t.user_id = u.id) AS has_totp,
  (SELECT f.require_acr FROM firms f WHERE f.id = u.firm_id) AS firm_require_acr,
  (SELECT r.require_acr FROM roles r WHERE r.name = u.role) AS role_require_acr`

/**
 * For a login: the factors of its user, and what the partner requires that the user comes from. No row: the user is not active,
 * or the credentials have changed. $1 user id, $2 `login_version` of the login, $3 client_id of the partner or null
 */
export const findFactorFacts = statement(
  'find_factor_facts',
  Type.Object({ ...FactorFacts.properties, partner_require_acr: Type.Union([Type.String(), Type.Null()]) }),
  `SELECT ${factorColumns},
          (SELECT p.require_acr FROM partners p WHERE p.client_id = $3) AS partner_require_acr
     FROM users u WHERE u.id = $1 AND u.login_version = $2 AND u.status = 'active'`,
)

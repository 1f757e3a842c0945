import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import { isInDomains } from '../idp/identities.sql.ts'
import Type from '../typebox.ts'

/** The providers through which operators log in. */
export const operatorProviders = statement(
  'operator_providers',
  Type.Object({ id: Type.String(), name: Type.String(), issuer: Type.String() }),
  'SELECT id, name, issuer FROM identity_providers WHERE operators ORDER BY name, id',
)

/** What a login of operators through a provider must reach. No row: operators do not log in there. $1 id of the provider */
export const operatorProviderRules = statement(
  'operator_provider_rules',
  Type.Object({ operators_acr: Type.Union([Type.String(), Type.Null()]) }),
  'SELECT operators_acr FROM identity_providers WHERE id = $1 AND operators',
)

const Found = Type.Object({
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  login_version: Type.String(),
  active: Type.Boolean(),
})

const columns = `o.id::text, o.name, o.email, o.login_version::text, o.status = 'active' AS active`

/** The operator to whom an account at a provider belongs. Records the login. $1 id of the provider, $2 `sub` */
export const findOperatorIdentity = statement(
  'find_operator_identity',
  Found,
  `WITH seen AS (
     UPDATE operator_identities SET last_login_at = now() WHERE provider_id = $1 AND sub = $2 RETURNING operator_id
   )
   SELECT ${columns} FROM seen JOIN operators o ON o.id = seen.operator_id`,
)

/**
 * Binds an account at a provider to the operator with its address, at the first login. A provider with domains speaks for these
 * only. Each account has one operator, and each operator one account at the provider.
 *
 * $1 id of the provider, $2 `sub`, $3 folded verified address, $4 origin. No row: no operator has the address.
 */
export const bindOperatorIdentity = statement(
  'bind_operator_identity',
  Type.Object({ ...Found.properties, bound: Type.Boolean() }),
  `WITH candidate AS (
     SELECT o.id, o.status FROM identity_providers p, operators o
      WHERE p.id = $1 AND p.operators AND o.email_folded = $3 AND ${isInDomains('o.email_folded')}
   ), bound AS (
     INSERT INTO operator_identities (provider_id, sub, operator_id, last_login_at)
     SELECT $1, $2, id, now() FROM candidate WHERE status = 'active'
         ON CONFLICT DO NOTHING
     RETURNING operator_id
   ), audit AS (
     ${auditRow('operator.updated', {
       origin: '$4',
       from: 'bound',
       target: { kind: 'operator', id: 'bound.operator_id' },
       details: { provider: '$1::text', sub: '$2::text' },
     })}
   )
   SELECT ${columns}, EXISTS (SELECT FROM bound) AS bound FROM candidate JOIN operators o USING (id)`,
)

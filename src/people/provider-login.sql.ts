import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import { isInDomains } from '../idp/identities.sql.ts'
import Type from '../typebox.ts'
import { forEachKind, type PeopleKind } from './kind.ts'

/** The providers through which this kind of people logs in. */
const listStatement = (kind: PeopleKind) =>
  statement(
    `${kind}_providers`,
    Type.Object({ id: Type.String(), name: Type.String(), issuer: Type.String() }),
    `SELECT id, name, issuer FROM identity_providers WHERE ${kind}s ORDER BY name, id`,
  )

/** What a login of such people through a provider must reach. No row: they do not log in there. $1 id of the provider */
const rulesStatement = (kind: PeopleKind) =>
  statement(
    `${kind}_provider_rules`,
    Type.Object({ acr: Type.Union([Type.String(), Type.Null()]) }),
    `SELECT ${kind}s_acr AS acr FROM identity_providers WHERE id = $1 AND ${kind}s`,
  )

const Found = Type.Object({
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  login_version: Type.String(),
  active: Type.Boolean(),
})

const columns = `o.id::text, o.name, o.email, o.login_version::text, o.status = 'active' AS active`

/** The person to whom an account at a provider belongs. Records the login. $1 id of the provider, $2 `sub` */
const findStatement = (kind: PeopleKind) =>
  statement(
    `find_${kind}_identity`,
    Found,
    `WITH seen AS (
     UPDATE ${kind}_identities SET last_login_at = now() WHERE provider_id = $1 AND sub = $2 RETURNING ${kind}_id
   )
   SELECT ${columns} FROM seen JOIN ${kind}s o ON o.id = seen.${kind}_id`,
  )

/**
 * Binds an account at a provider to the person with its address, at the first login. A provider with domains speaks for these
 * only. Each account has one person, and each person one account at the provider. The account is then set up, and the link for
 * that ends: someone who finds it later in a mailbox or a chat could set a password, and log in without the provider.
 *
 * $1 id of the provider, $2 `sub`, $3 folded verified address, $4 origin. No row: no account here has the address.
 */
const bindStatement = (kind: PeopleKind) =>
  statement(
    `bind_${kind}_identity`,
    Type.Object({ ...Found.properties, bound: Type.Boolean() }),
    `WITH candidate AS (
     SELECT o.id, o.status FROM identity_providers p, ${kind}s o
      WHERE p.id = $1 AND p.${kind}s AND o.email_folded = $3 AND ${isInDomains('o.email_folded')}
   ), bound AS (
     INSERT INTO ${kind}_identities (provider_id, sub, ${kind}_id, last_login_at)
     SELECT $1, $2, id, now() FROM candidate WHERE status = 'active'
         ON CONFLICT DO NOTHING
     RETURNING ${kind}_id
   ), withdrawn AS (
     DELETE FROM ${kind}_links l USING bound WHERE l.${kind}_id = bound.${kind}_id
   ), audit AS (
     ${auditRow(`${kind}.updated`, {
       origin: '$4',
       from: 'bound',
       target: { kind, id: `bound.${kind}_id` },
       details: { provider: '$1::text', sub: '$2::text' },
     })}
   )
   SELECT ${columns}, EXISTS (SELECT FROM bound) AS bound FROM candidate JOIN ${kind}s o USING (id)`,
  )

/** The statements of a login through an identity provider. */
export const providerStatements = forEachKind((kind) => ({
  list: listStatement(kind),
  rules: rulesStatement(kind),
  find: findStatement(kind),
  bind: bindStatement(kind),
}))

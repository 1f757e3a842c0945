import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/**
 * Lets operators log in through a provider, or no longer. Then the sessions that it opened for them end.
 * $1 id of the provider, $2 whether operators log in there, $3 the acr that their logins must reach; null for none, $4 origin
 */
export const setOperatorLogins = statement(
  'set_operator_logins',
  /** No row: there is no such provider. */
  Type.Object({ id: Type.String(), sessions_ended: Type.Integer() }),
  `WITH before AS (
     SELECT id, operators, operators_acr FROM identity_providers WHERE id = $1 FOR UPDATE
   ), changed AS (
     UPDATE identity_providers p SET operators = $2, operators_acr = $3 FROM before WHERE p.id = before.id
     RETURNING p.id, p.operators, p.operators_acr
   ), ended AS (
     DELETE FROM operator_sessions s USING changed WHERE s.provider_id = changed.id AND NOT changed.operators RETURNING 1
   ), audit AS (
     ${auditRow('provider.updated', {
       origin: '$4',
       from: 'changed JOIN before USING (id)',
       target: { kind: 'provider', id: 'changed.id' },
       details: {
         before: `jsonb_build_object('operators', before.operators, 'operators_acr', before.operators_acr)`,
         after: `jsonb_build_object('operators', changed.operators, 'operators_acr', changed.operators_acr)`,
       },
     })}
   )
   SELECT id, (SELECT count(*)::int FROM ended) AS sessions_ended FROM changed`,
)

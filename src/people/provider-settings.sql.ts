import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import Type from '../typebox.ts'
import { forEachKind, type PeopleKind } from './kind.ts'

/**
 * Lets operators or developers log in through a provider, or no longer. Then the sessions that it opened for them end.
 * $1 id of the provider, $2 whether they log in there, $3 the acr that their logins must reach; null for none, $4 origin
 */
const setStatement = (kind: PeopleKind) =>
  statement(
    `set_${kind}_logins`,
    /** No row: there is no such provider. */
    Type.Object({ id: Type.String(), sessions_ended: Type.Integer() }),
    `WITH before AS (
     SELECT id, ${kind}s, ${kind}s_acr FROM identity_providers WHERE id = $1 FOR UPDATE
   ), changed AS (
     UPDATE identity_providers p SET ${kind}s = $2, ${kind}s_acr = $3 FROM before WHERE p.id = before.id
     RETURNING p.id, p.${kind}s, p.${kind}s_acr
   ), ended AS (
     DELETE FROM ${kind}_sessions s USING changed WHERE s.provider_id = changed.id AND NOT changed.${kind}s RETURNING 1
   ), audit AS (
     ${auditRow('provider.updated', {
       origin: '$4',
       from: 'changed JOIN before USING (id)',
       target: { kind: 'provider', id: 'changed.id' },
       details: {
         before: `jsonb_build_object('${kind}s', before.${kind}s, '${kind}s_acr', before.${kind}s_acr)`,
         after: `jsonb_build_object('${kind}s', changed.${kind}s, '${kind}s_acr', changed.${kind}s_acr)`,
       },
     })}
   )
   SELECT id, (SELECT count(*)::int FROM ended) AS sessions_ended FROM changed`,
  )

/** Changes who logs in through a provider: see `setStatement`. */
export const setProviderLogins = forEachKind(setStatement)

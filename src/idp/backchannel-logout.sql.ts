import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/** The session of a user, operator or developer is one that the logout token names. */
const isNamed = `provider_id = $3 AND EXISTS (SELECT FROM used)
        AND ($4::text IS NULL OR provider_sub = $4)
        AND ($5::text IS NULL OR provider_sid = $5 OR ($4 IS NOT NULL AND provider_sid IS NULL))`

/**
 * Ends the browser sessions of users, operators and developers that a logout token names, once for each token. Connections go
 * on. A session without `sid` may be the one that the token names: it ends if `sub` is that of its account.
 *
 * $1 SHA-256 of the token's issuer and `jti`, $2 when the token can no longer be used, $3 id of the provider, $4 `sub` or
 * null, $5 `sid` or null, $6 origin
 */
export const endProviderSessions = statement(
  'end_provider_sessions',
  Type.Object({
    /** False: the token was used before, and ended nothing now. */
    is_new: Type.Boolean(),
    ended: Type.Integer(),
  }),
  `WITH used AS (
     INSERT INTO logout_tokens (hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1
   ), ended AS (
     DELETE FROM sessions WHERE ${isNamed} RETURNING id, user_id
   ), ended_of_operators AS (
     DELETE FROM operator_sessions WHERE ${isNamed} RETURNING id, operator_id
   ), recorded_of_operators AS (
     ${auditRow('operator.logged_out', {
       origin: '$6',
       from: 'ended_of_operators s',
       target: { kind: 'operator', id: 's.operator_id' },
       details: { cause: `'provider_logout'`, provider: '$3::text' },
     })}
   ), ended_of_developers AS (
     DELETE FROM developer_sessions WHERE ${isNamed} RETURNING id, developer_id
   ), recorded_of_developers AS (
     ${auditRow('developer.logged_out', {
       origin: '$6',
       from: 'ended_of_developers s',
       target: { kind: 'developer', id: 's.developer_id' },
       details: { cause: `'provider_logout'`, provider: '$3::text' },
     })}
   ), recorded AS (
     ${auditRow('session.ended', {
       origin: '$6',
       from: 'ended s',
       target: { kind: 'session', id: 's.id' },
       about: { user: 's.user_id' },
       details: { cause: `'provider_logout'`, provider: '$3::text' },
     })}
   )
   SELECT EXISTS (SELECT FROM used) AS is_new,
          ((SELECT count(*) FROM ended) + (SELECT count(*) FROM ended_of_operators)
           + (SELECT count(*) FROM ended_of_developers))::int AS ended`,
)

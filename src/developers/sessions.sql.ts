import { Instant, statement } from '../database/database.ts'
import { DeveloperRole } from '../developer-keys/roles.ts'
import { findSessionStatement, SessionRow } from '../people/sessions.sql.ts'
import Type, { orNull, type Static } from '../typebox.ts'

/**
 * The live session of an active developer, and the application $2 if the developer is a member of it. Records that the
 * developer has seen the application, at most once a minute. $1 SHA-256 of the session id, $2 client id or null
 */
export const findDeveloperSession = findSessionStatement(
  'developer',
  Type.Object({
    ...SessionRow.properties,
    app: orNull(Type.Object({ clientId: Type.String(), name: Type.String(), role: DeveloperRole })),
  }),
  {
    columns: `CASE WHEN p.client_id IS NULL THEN NULL
         ELSE jsonb_build_object('clientId', p.client_id, 'name', p.name, 'role', m.role) END AS app`,
    ctes: `, visited AS (
     UPDATE developer_memberships m SET last_seen_at = now() FROM found
      WHERE m.developer_id = found.id AND m.client_id = $2
        AND coalesce(m.last_seen_at, '-infinity') < now() - interval '1 minute'
   )`,
    join: `LEFT JOIN developer_memberships m ON m.developer_id = found.id AND m.client_id = $2
     LEFT JOIN partners p ON p.client_id = m.client_id`,
  },
)

const DeveloperApp = Type.Object({
  client_id: Type.String(),
  name: Type.String(),
  status: Type.Union([Type.Literal('active'), Type.Literal('suspended')]),
  role: DeveloperRole,
  since: Instant,
})
export type DeveloperApp = Static<typeof DeveloperApp>

/** The applications of a developer. $1 id of the developer */
export const appsOfDeveloper = statement(
  'apps_of_developer',
  DeveloperApp,
  `SELECT p.client_id, p.name, p.status, m.role, m.created_at AS since
     FROM developer_memberships m JOIN partners p USING (client_id)
    WHERE m.developer_id = $1::uuid ORDER BY p.name, p.client_id`,
)

import { Instant, statement } from '../database/database.ts'
import { isLiveGrant } from '../grants/ended.sql.ts'
import Type, { type Static } from '../typebox.ts'

/** How many apps the front page shows. The others are on the page of connected apps. */
const shownApps = 5

export const ConnectedApp = Type.Object({
  id: Type.String(),
  name: Type.String(),
  logo: Type.Union([Type.String(), Type.Null()]),
  last_used_at: Type.Union([Instant, Type.Null()]),
})
export type ConnectedApp = Static<typeof ConnectedApp>

/** The apps that were used most recently. $1 user id */
export const appsOfUser = statement(
  'apps_of_user',
  ConnectedApp,
  `SELECT g.id, p.name, p.logo, g.last_used_at FROM grants g JOIN partners p USING (client_id)
    WHERE g.user_id = $1 AND ${isLiveGrant('g')}
    ORDER BY g.last_used_at DESC NULLS LAST, p.name, g.id LIMIT ${shownApps}`,
)

import Type, { type Static } from 'typebox'
import { Instant, statement } from '../database/database.ts'

export const Grant = Type.Object({
  id: Type.String(),
  user_id: Type.String(),
  email: Type.String(),
  client_id: Type.String(),
  partner_name: Type.String(),
  redirect_uri: Type.String(),
  created_at: Instant,
})
export type Grant = Static<typeof Grant>

const liveGrants = `
  SELECT g.id, g.user_id, u.email, g.client_id, p.name AS partner_name, p.redirect_uris[1] AS redirect_uri, g.created_at
    FROM grants g JOIN partners p USING (client_id) JOIN users u ON u.id = g.user_id
   WHERE g.revoked_at IS NULL`

/** $1 user id */
export const grantsOfUser = statement(
  'grants_of_user',
  Grant,
  `${liveGrants} AND g.user_id = $1 ORDER BY p.name, g.id`,
)

/** For the operator. $1 user id or folded email address, or null for everybody; $2 client_id or null */
export const listGrants = statement(
  'list_grants',
  Grant,
  `${liveGrants} AND ($1::text IS NULL OR u.id = $1 OR u.email_folded = $1) AND ($2::text IS NULL OR g.client_id = $2)
    ORDER BY g.created_at, g.id`,
)

/** Ends a grant, and with it every token that came of it. $1 grant id, $2 user id or null for the operator */
export const revokeGrant = statement(
  'revoke_grant',
  Type.Object({ client_id: Type.String() }),
  `UPDATE grants SET revoked_at = now()
    WHERE id = $1 AND revoked_at IS NULL AND ($2::text IS NULL OR user_id = $2)
   RETURNING client_id`,
)

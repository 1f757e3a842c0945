import Type, { type Static } from 'typebox'
import { Instant, statement } from '../database/database.ts'

export const Partner = Type.Object({
  client_id: Type.String(),
  name: Type.String(),
  status: Type.Union([Type.Literal('active'), Type.Literal('suspended')]),
  redirect_uris: Type.Array(Type.String()),
  require_pkce: Type.Boolean(),
})
export type Partner = Static<typeof Partner>

const columns = 'client_id, name, status, redirect_uris, require_pkce'

/** $1 client_id */
export const findPartner = statement(
  'find_partner',
  Partner,
  `SELECT ${columns} FROM partners WHERE client_id = $1`,
)

export const listPartners = statement(
  'list_partners',
  Type.Object({ ...Partner.properties, created_at: Instant, live_secrets: Type.Integer() }),
  `SELECT ${columns}, created_at,
          (SELECT count(*) FROM partner_secrets s WHERE s.client_id = p.client_id)::int AS live_secrets
     FROM partners p
    ORDER BY name, client_id`,
)

/** $1 client_id, $2 name, $3 redirect URIs, $4 whether PKCE is required, $5 SHA-256 of the first secret */
export const insertPartner = statement(
  'insert_partner',
  Type.Object({ client_id: Type.String() }),
  `WITH partner AS (
     INSERT INTO partners (client_id, name, redirect_uris, require_pkce) VALUES ($1, $2, $3, $4) RETURNING client_id
   )
   INSERT INTO partner_secrets (hash, client_id) SELECT $5, client_id FROM partner RETURNING client_id`,
)

/** $1 client_id, $2 the new status; no row: no such partner */
export const setPartnerStatus = statement(
  'set_partner_status',
  Partner,
  `UPDATE partners SET status = $2 WHERE client_id = $1 RETURNING ${columns}`,
)

/**
 * Adds a secret and keeps as many of the newest others as asked for: with one kept, two are live while the partner
 * changes over; with none, the others end at once, which is for a secret that leaked.
 * $1 client_id, $2 SHA-256 of the new secret, $3 how many others stay live; no row: no such partner
 */
export const rotateSecret = statement(
  'rotate_partner_secret',
  Type.Object({ client_id: Type.String(), ended: Type.Integer() }),
  `WITH partner AS (
     SELECT client_id FROM partners WHERE client_id = $1 FOR UPDATE
   ), added AS (
     INSERT INTO partner_secrets (hash, client_id) SELECT $2, client_id FROM partner
   ), ended AS (
     DELETE FROM partner_secrets WHERE hash IN (
       SELECT s.hash FROM partner_secrets s JOIN partner USING (client_id) ORDER BY s.created_at DESC OFFSET $3)
     RETURNING hash
   )
   SELECT client_id, (SELECT count(*) FROM ended)::int AS ended FROM partner`,
)

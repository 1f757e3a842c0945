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
  `SELECT ${columns}, created_at, cardinality(secret_hashes) AS live_secrets FROM partners ORDER BY name, client_id`,
)

/** $1 client_id, $2 name, $3 redirect URIs, $4 whether PKCE is required, $5 SHA-256 of the first secret */
export const insertPartner = statement(
  'insert_partner',
  Type.Object({ client_id: Type.String() }),
  `INSERT INTO partners (client_id, name, redirect_uris, require_pkce, secret_hashes)
   VALUES ($1, $2, $3, $4, ARRAY[$5::bytea]) RETURNING client_id`,
)

/** $1 client_id, $2 the new status; no row: no such partner */
export const setPartnerStatus = statement(
  'set_partner_status',
  Partner,
  `UPDATE partners SET status = $2 WHERE client_id = $1 RETURNING ${columns}`,
)

/**
 * Adds a secret and keeps the newest of the others, so that two are live while the partner changes over; or none of
 * them, for when one leaked. All in the partner's own row: of two rotations at once, the second sees the first.
 * $1 client_id, $2 SHA-256 of the new secret, $3 how many others stay live, 0 or 1; no row: no such partner
 */
export const rotateSecret = statement(
  'rotate_partner_secret',
  Type.Object({ client_id: Type.String(), live_secrets: Type.Integer() }),
  `UPDATE partners SET secret_hashes = ARRAY[$2::bytea] || secret_hashes[1:$3::int] WHERE client_id = $1
   RETURNING client_id, cardinality(secret_hashes) AS live_secrets`,
)

/**
 * The common table expression by which a statement authenticates the client that asks: its row, whatever the partner's
 * status, when `$1` is its client_id and `$2` the SHA-256 of one of its live secrets.
 */
export const authenticatedClient = `
   client AS (
     SELECT client_id, status, id_token_alg FROM partners WHERE client_id = $1 AND $2::bytea = ANY (secret_hashes)
   )`

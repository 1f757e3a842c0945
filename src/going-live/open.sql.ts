import { Instant, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'

/**
 * Takes a request for the partner that the same transaction creates. A second opening waits here until the first one has ended.
 * $1 jti, $2 when it expires, $3 client_id of the partner, $4 address of the sandbox, $5 client_id there.
 * No row: it was opened before, or it has expired.
 */
export const takeRequest = statement(
  'take_going_live_request',
  Type.Object({ opened_at: Instant }),
  `INSERT INTO going_live_requests (jti, client_id, sandbox, sandbox_client_id)
   SELECT $1, $3, $4, $5 WHERE $2::timestamptz > now()
       ON CONFLICT DO NOTHING RETURNING opened_at`,
)

/** $1 jti. No row: it was not opened. */
export const findOpenedRequest = statement(
  'find_opened_going_live_request',
  Type.Object({ client_id: Type.String(), opened_at: Instant }),
  'SELECT client_id, opened_at FROM going_live_requests WHERE jti = $1',
)

const Namesake = Type.Object({
  client_id: Type.String(),
  name: Type.String(),
  /** Whether the partner came from the same application of the same sandbox. */
  is_same_application: Type.Boolean(),
  shared_uris: Type.Array(Type.String()),
})
export type Namesake = Static<typeof Namesake>

/** All partners, for a comparison with a new one. $1 its redirect URIs, $2 address of the sandbox, $3 client_id there */
export const partnersToCompare = statement(
  'partners_to_compare',
  Namesake,
  `SELECT p.client_id, p.name,
          EXISTS (SELECT FROM going_live_requests r
                   WHERE r.client_id = p.client_id AND r.sandbox = $2 AND r.sandbox_client_id = $3) AS is_same_application,
          ARRAY(SELECT unnest(p.redirect_uris) INTERSECT SELECT unnest($1::text[])) AS shared_uris
     FROM partners p`,
)

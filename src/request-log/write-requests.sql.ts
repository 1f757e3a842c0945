import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/** What calls have in common. Empty text: none. */
export const RequestKind = Type.Object({
  method: Type.String(),
  route: Type.String(),
  status: Type.Integer(),
  code: Type.String(),
  outcome: Type.String(),
  authenticated: Type.Boolean(),
})

const columns = 'method, route, status, code, outcome, authenticated'

/**
 * The ids of kinds of calls; new kinds are added. A kind that another server adds at the same moment may be missing in the
 * result.
 *
 * Arrays with an entry for each kind: $1 method, $2 route, $3 status, $4 code, $5 outcome, $6 whether the caller is
 * authenticated
 */
export const numberKinds = statement(
  'number_request_kinds',
  Type.Object({ id: Type.Integer(), ...RequestKind.properties }),
  `WITH given AS (
     SELECT * FROM unnest($1::text[], $2::text[], $3::smallint[], $4::text[], $5::text[], $6::boolean[]) AS given (${columns})
   ), known AS (
     SELECT k.id, ${columns} FROM given JOIN request_kinds k USING (${columns})
   ), added AS (
     INSERT INTO request_kinds (${columns})
     SELECT ${columns} FROM given EXCEPT SELECT ${columns} FROM known
         ON CONFLICT DO NOTHING
     RETURNING id, ${columns}
   )
   SELECT * FROM known UNION ALL SELECT * FROM added`,
)

/**
 * Adds a batch. Arrays with an entry for each call: $1 when it was answered, in microseconds since 1970, $2 grant id or null,
 * $3 kind, $4 its duration in milliseconds, $5 status, $6 request id, $7 client_id or null, $8 detail of the error or null,
 * $9 SHA-256 of the locator of its access token in hex, which finds the grant, or null, $10 the client_id that the caller
 * claims, which is kept if a partner has it, or null
 */
export const addRequests = statement(
  'add_requests',
  Type.Object({}),
  `INSERT INTO request_log (at, grant_id, kind_id, ms, status, request_id, client_id, detail)
   SELECT to_timestamp(us / 1000000.0),
          coalesce(grant_id, (SELECT c.grant_id FROM connections c WHERE c.access_locator_hash = decode(locator_hash, 'hex'))),
          kind_id, ms, status, request_id,
          coalesce(client_id, (SELECT p.client_id FROM partners p WHERE p.client_id = claimed)), detail
     FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::real[], $5::smallint[], $6::text[], $7::text[], $8::text[], $9::text[],
                 $10::text[])
       AS call (us, grant_id, kind_id, ms, status, request_id, client_id, detail, locator_hash, claimed)`,
)

/** Makes the partitions of the next days and removes those that are too old. $1 days for which calls are kept */
export const keepPartitions = statement(
  'keep_request_log',
  Type.Object({ removed: Type.Integer() }),
  'SELECT keep_request_log($1::int) AS removed',
)

import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/** Hours for which an answer is kept. The purge deletes it later. */
export const keptHours = 24

const isOld = `r.created_at <= now() - interval '${keptHours} hours'`

/**
 * Claims an Idempotency-Key for the transaction of a request. `status` is null if the request is the first with this key.
 * A second request waits here until the transaction of the first has ended. The row itself decides, because it is read
 * again after the wait.
 *
 * $1 id of the actor, $2 SHA-256 of the key, $3 SHA-256 of the request
 */
export const claimIdempotencyKey = statement(
  'claim_idempotency_key',
  Type.Object({
    is_same: Type.Boolean(),
    status: Type.Union([Type.Integer(), Type.Null()]),
    location: Type.Union([Type.String(), Type.Null()]),
    body: Type.Unknown(),
  }),
  `INSERT INTO idempotent_requests AS r (actor_id, key_hash, digest) VALUES ($1, $2, $3)
   ON CONFLICT (actor_id, key_hash) DO UPDATE
     SET digest = CASE WHEN ${isOld} THEN excluded.digest ELSE r.digest END,
         status = CASE WHEN ${isOld} THEN NULL ELSE r.status END,
         location = CASE WHEN ${isOld} THEN NULL ELSE r.location END,
         body = CASE WHEN ${isOld} THEN NULL ELSE r.body END,
         created_at = CASE WHEN ${isOld} THEN now() ELSE r.created_at END
   RETURNING digest = $3 AS is_same, status, location, body`,
)

/**
 * $1 id of the actor, $2 SHA-256 of the key, $3 status of the answer, $4 its Location or null, $5 its body without secrets, as
 * JSON
 */
export const storeIdempotentAnswer = statement(
  'store_idempotent_answer',
  Type.Object({ status: Type.Integer() }),
  `UPDATE idempotent_requests SET status = $3, location = $4, body = $5::json
    WHERE actor_id = $1 AND key_hash = $2 RETURNING status`,
)

import { Instant, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'

/** Seconds for which a server has a message to itself. After that, another server may deliver it. */
export const leaseSeconds = 30

const TakenMessage = Type.Object({
  id: Type.String(),
  payload: Type.Unknown(),
  /** Includes this attempt. */
  attempts: Type.Integer(),
  created_at: Instant,
  is_expired: Type.Boolean(),
})
export type TakenMessage = Static<typeof TakenMessage>

/**
 * Takes a lease on messages that are due. Of the messages of one key, only the first is ever due: a later one waits until
 * the first is deleted. A message that another server is just taking is skipped. $1 kind, $2 how many at most
 */
export const takeDue = statement(
  'take_due',
  TakenMessage,
  `WITH due AS (
     SELECT o.id FROM outbox o
      WHERE o.kind = $1 AND o.next_attempt_at <= now()
        AND NOT EXISTS (SELECT FROM outbox earlier
                         WHERE earlier.kind = o.kind AND earlier.order_key = o.order_key AND earlier.place < o.place)
      ORDER BY o.next_attempt_at LIMIT $2 FOR UPDATE OF o SKIP LOCKED
   )
   UPDATE outbox o SET attempts = o.attempts + 1, next_attempt_at = now() + interval '${leaseSeconds} seconds'
     FROM due WHERE o.id = due.id
   RETURNING o.id, o.payload, o.attempts, o.created_at, o.expires_at <= now() AS is_expired`,
)

/** After a delivery, or when the message is given up. $1 id */
export const removeMessage = statement(
  'remove_message',
  Type.Object({ id: Type.String() }),
  'DELETE FROM outbox WHERE id = $1 RETURNING id',
)

/**
 * After a failed attempt. No row if the lease is over and another attempt has begun. $1 id, $2 `attempts` of this attempt,
 * $3 seconds until the next one
 */
export const postponeMessage = statement(
  'postpone_message',
  Type.Object({ id: Type.String() }),
  `UPDATE outbox SET next_attempt_at = now() + make_interval(secs => $3)
    WHERE id = $1 AND attempts = $2 RETURNING id`,
)

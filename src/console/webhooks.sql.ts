import { Instant, statement } from '../database/database.ts'
import Type, { orNull, type Static } from '../typebox.ts'

/**
 * Messages of an endpoint that are read: this many of the newest, and this many of those with the latest next attempt. A bound,
 * because an endpoint may have millions.
 */
const mostRead = 100

export const EndpointHealth = Type.Object({
  id: Type.String(),
  /** Null: nothing was delivered. */
  delivered_at: orNull(Instant),
  /** Null: no attempt failed. */
  failed_at: orNull(Instant),
  /** Why the attempt at `failed_at` failed. */
  fault: orNull(Type.String()),
})
export type EndpointHealth = Static<typeof EndpointHealth>

/**
 * For each endpoint of a partner: its last delivery, its last failed attempt, and why that failed. Reads the last two attempts
 * of at most `2 * mostRead` messages. $1 client_id
 */
export const listEndpointHealth = statement(
  'list_webhook_health',
  EndpointHealth,
  `SELECT e.id, health.* FROM webhook_endpoints e CROSS JOIN LATERAL (
     SELECT max(a.at) FILTER (WHERE a.fault IS NULL) AS delivered_at,
            max(a.at) FILTER (WHERE a.fault IS NOT NULL) AS failed_at,
            (array_agg(a.fault ORDER BY a.at DESC) FILTER (WHERE a.fault IS NOT NULL))[1] AS fault
       FROM ((SELECT m.id FROM webhook_messages m WHERE m.endpoint_id = e.id
               ORDER BY m.created_at DESC, m.place DESC LIMIT ${mostRead})
             UNION
             (SELECT m.id FROM webhook_messages m WHERE m.endpoint_id = e.id AND m.next_attempt_at IS NOT NULL
               ORDER BY m.next_attempt_at DESC LIMIT ${mostRead})) AS looked
      CROSS JOIN LATERAL (SELECT * FROM webhook_attempts
                           WHERE message_id = looked.id ORDER BY number DESC LIMIT 2) AS a
     ) AS health
    WHERE e.client_id = $1`,
)

import { Instant, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'

/** Messages that are looked at for the last delivery: of an endpoint, the newest ones and those that are tried again last. */
const looked = 100

export const EndpointHealth = Type.Object({
  id: Type.String(),
  /** Null: nothing was delivered. */
  delivered_at: Type.Union([Instant, Type.Null()]),
  /** Null: no attempt failed. */
  failed_at: Type.Union([Instant, Type.Null()]),
  /** Why the attempt at `failed_at` failed. */
  fault: Type.Union([Type.String(), Type.Null()]),
})
export type EndpointHealth = Static<typeof EndpointHealth>

/**
 * When the endpoints of a partner last got a message, and when and why an attempt last failed, among the last two attempts of
 * `2 * looked` messages of each. $1 client_id
 */
export const listEndpointHealth = statement(
  'list_webhook_health',
  EndpointHealth,
  `SELECT e.id, health.* FROM webhook_endpoints e CROSS JOIN LATERAL (
     SELECT max(a.at) FILTER (WHERE a.fault IS NULL) AS delivered_at,
            max(a.at) FILTER (WHERE a.fault IS NOT NULL) AS failed_at,
            (array_agg(a.fault ORDER BY a.at DESC) FILTER (WHERE a.fault IS NOT NULL))[1] AS fault
       FROM ((SELECT m.id FROM webhook_messages m WHERE m.endpoint_id = e.id
               ORDER BY m.created_at DESC, m.place DESC LIMIT ${looked})
             UNION
             (SELECT m.id FROM webhook_messages m WHERE m.endpoint_id = e.id AND m.next_attempt_at IS NOT NULL
               ORDER BY m.next_attempt_at DESC LIMIT ${looked})) AS looked
      CROSS JOIN LATERAL (SELECT * FROM webhook_attempts
                           WHERE message_id = looked.id ORDER BY number DESC LIMIT 2) AS a
     ) AS health
    WHERE e.client_id = $1`,
)

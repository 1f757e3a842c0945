import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/** For `/metrics`. Mails and events are counted up to 10,000, so that a scrape stays cheap while none can be sent. */
export const readDeploymentFacts = statement(
  'read_deployment_facts',
  Type.Object({
    outbox_messages: Type.Integer(),
    outbox_oldest_seconds: Type.Number(),
    webhook_messages: Type.Integer(),
    webhook_oldest_seconds: Type.Number(),
    webhook_endpoints: Type.Object({
      working: Type.Integer(),
      failing: Type.Integer(),
      disabled: Type.Integer(),
    }),
    signing_key_ages: Type.Record(Type.String(), Type.Number()),
  }),
  `WITH due AS (
     SELECT next_attempt_at FROM outbox WHERE next_attempt_at <= now() ORDER BY next_attempt_at LIMIT 10000
   ), working AS (
     SELECT e.id FROM webhook_endpoints e JOIN partners p ON p.client_id = e.client_id
      WHERE e.status = 'active' AND e.failing_since IS NULL AND p.status = 'active'
   )
   SELECT (SELECT count(*)::integer FROM due) AS outbox_messages,
          coalesce((SELECT extract(epoch FROM now() - min(next_attempt_at)) FROM due), 0)::float8 AS outbox_oldest_seconds,
          (SELECT count(*)::integer
             FROM (SELECT FROM working w JOIN webhook_messages m ON m.endpoint_id = w.id AND m.next_attempt_at <= now()
                    LIMIT 10000) AS due_webhook) AS webhook_messages,
          coalesce((SELECT extract(epoch FROM now() - min(oldest.next_attempt_at))
                      FROM working w CROSS JOIN LATERAL (
                        SELECT m.next_attempt_at FROM webhook_messages m WHERE m.endpoint_id = w.id AND m.next_attempt_at <= now()
                         ORDER BY m.next_attempt_at LIMIT 1) AS oldest), 0)::float8 AS webhook_oldest_seconds,
          (SELECT jsonb_build_object('working', count(*) FILTER (WHERE e.status = 'active' AND e.failing_since IS NULL),
                                     'failing', count(*) FILTER (WHERE e.status = 'active' AND e.failing_since IS NOT NULL),
                                     'disabled', count(*) FILTER (WHERE e.status = 'disabled'))
             FROM webhook_endpoints e) AS webhook_endpoints,
          (SELECT coalesce(jsonb_object_agg(algorithm, age), '{}')
             FROM (SELECT algorithm, extract(epoch FROM now() - max(created_at))::float8 AS age
                     FROM signing_keys GROUP BY algorithm) AS newest) AS signing_key_ages`,
)

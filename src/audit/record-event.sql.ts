import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/** $1 origin, $2 event, $3 kind of the target, $4 its id, $5 firm or null, $6 user or null, $7 client_id or null, $8 details */
export const insertEvent = statement(
  'insert_audit_event',
  Type.Object({}),
  `INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind, target_id,
                          firm_id, user_id, client_id, details)
   SELECT $2, o->>'actor_kind', o->>'actor_id', o->>'actor_name', o->>'via', o->>'address', o->>'user_agent', o->>'request_id',
          $3, $4, $5, $6, $7, $8::jsonb
     FROM (SELECT $1::jsonb AS o) AS origin`,
)

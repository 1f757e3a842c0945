import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/** $1 JSON: an array of entries of `FailedLogins` */
export const insertFailedLogins = statement(
  'insert_failed_logins',
  Type.Object({}),
  `INSERT INTO audit_log (event, actor_kind, via, address, target_kind, target_id, firm_id, user_id, details)
   SELECT 'login.failed', 'user', 'page', e.address, 'user', coalesce(e.user_id, 'digest:' || e.account_digest, 'unknown'),
          (SELECT u.firm_id FROM users u WHERE u.id = e.user_id), e.user_id,
          jsonb_build_object('method', e.method, 'reason', e.reason, 'count', e.count, 'first', e.first, 'last', e.last)
     FROM jsonb_to_recordset($1::jsonb) AS e (method text, reason text, address text, user_id text, account_digest text,
                                              count integer, first text, last text)`,
)

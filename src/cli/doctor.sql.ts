import { Instant, statement } from '../database/database.ts'
import { isLiveGrant } from '../grants/ended.sql.ts'
import Type from '../typebox.ts'

/** Works with any schema. */
export const serverFacts = statement(
  'server_facts',
  Type.Object({ version: Type.String(), version_number: Type.Integer(), clock: Instant }),
  `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS version_number,
          clock_timestamp() AS clock`,
)

export const dataFacts = statement(
  'data_facts',
  Type.Object({
    users: Type.Integer(),
    households: Type.Integer(),
    partners: Type.Integer(),
    grants: Type.Integer(),
    /** Whether this role may change or remove rows of the audit log. */
    changes_audit: Type.Boolean(),
  }),
  `SELECT has_table_privilege('audit_log', 'UPDATE, DELETE, TRUNCATE') AS changes_audit,
          (SELECT count(*)::int FROM users) AS users, (SELECT count(*)::int FROM households) AS households,
          (SELECT count(*)::int FROM partners) AS partners,
          (SELECT count(*)::int FROM grants g WHERE ${isLiveGrant('g')}) AS grants`,
)

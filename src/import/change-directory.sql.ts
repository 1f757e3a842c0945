import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/** $1 ids of users */
export const findPasswordHashes = statement(
  'find_password_hashes',
  Type.Object({ id: Type.String(), password_hash: Type.Union([Type.String(), Type.Null()]) }),
  'SELECT id, password_hash FROM users WHERE id = ANY ($1::text[])',
)

/** $1 origin, $2 details as JSON, $3 the user, if the change is about one user alone */
export const auditDirectoryChange = statement(
  'audit_directory_change',
  Type.Object({ event: Type.String() }),
  `${auditRow('directory.changed', {
    origin: '$1',
    from: '(SELECT $2::jsonb AS all, $3::text AS user_id) AS change',
    target: { kind: 'directory', id: `'directory'` },
    about: { user: 'change.user_id' },
    details: {
      counts: `change.all->'counts'`,
      ids: `change.all->'ids'`,
      kept_disabled: `change.all->'kept_disabled'`,
    },
  })} RETURNING event`,
)

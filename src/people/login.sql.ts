import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import { useCodeStatement } from '../factors/recovery-codes.sql.ts'
import { findSecretStatement, useStepStatement } from '../factors/totp.sql.ts'
import { loginStatement } from '../login/login.sql.ts'
import Type from '../typebox.ts'
import { forEachKind, type PeopleKind } from './kind.ts'

/** Begins the login of a person who has used the setup link: see `loginStatement`. */
const beginStatement = (kind: PeopleKind) =>
  loginStatement(
    `begin_${kind}_login`,
    `${kind}s`,
    `SELECT id, password_hash, login_version, status = 'active' AS may_log_in
       FROM ${kind}s WHERE email_folded = $3 AND password_hash IS NOT NULL`,
  )

/** Records a failed login in the audit log, if there is such an account. $1 folded address, $2 what failed, $3 origin */
const recordFailedStatement = (kind: PeopleKind) =>
  statement(
    `record_failed_${kind}_login`,
    Type.Object({}),
    auditRow(`${kind}.login_failed`, {
      origin: '$3',
      from: `${kind}s WHERE email_folded = $1`,
      target: { kind, id: `${kind}s.id` },
      details: { reason: '$2::text' },
    }),
  )

/** The account whose first factor has been checked. $1 id, $2 `login_version` at that time. No row: it has changed. */
const findPendingStatement = (kind: PeopleKind) =>
  statement(
    `find_pending_${kind}`,
    Type.Object({ name: Type.String(), email: Type.String() }),
    `SELECT name, email FROM ${kind}s WHERE id = $1::uuid AND login_version = $2::uuid AND status = 'active'`,
  )

/** The statements of a login with password and second factor. */
export const loginStatements = forEachKind((kind) => ({
  begin: beginStatement(kind),
  recordFailed: recordFailedStatement(kind),
  findPending: findPendingStatement(kind),
  totp: {
    /** $1 id */
    find: findSecretStatement(`find_${kind}_totp`, `${kind}_totp_secrets`, `${kind}_id`),
    /** $1 id, $2 time step of the code, $3 the sealed secret that the code was checked with */
    use: useStepStatement(`use_${kind}_totp`, `${kind}_totp_secrets`, `${kind}_id`),
  },
  /** $1 id, $2 the hash of the code */
  useRecoveryCode: useCodeStatement(`use_${kind}_recovery_code`, `${kind}_recovery_codes`, `${kind}_id`),
}))

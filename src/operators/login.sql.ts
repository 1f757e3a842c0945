import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import { useCodeStatement } from '../factors/recovery-codes.sql.ts'
import { findSecretStatement, useStepStatement } from '../factors/totp.sql.ts'
import { loginStatement } from '../login/login.sql.ts'
import Type from '../typebox.ts'

/** Of an operator who has used the setup link. */
export const beginOperatorLogin = loginStatement(
  'begin_operator_login',
  'operators',
  `SELECT id, password_hash, login_version, status = 'active' AS may_log_in
       FROM operators WHERE email_folded = $3 AND password_hash IS NOT NULL`,
)

/**
 * Records a failed login in the audit log, if there is such an operator. $1 folded address, $2 what failed, $3 origin
 */
export const recordFailedOperatorLogin = statement(
  'record_failed_operator_login',
  Type.Object({}),
  auditRow('operator.login_failed', {
    origin: '$3',
    from: 'operators WHERE email_folded = $1',
    target: { kind: 'operator', id: 'operators.id' },
    details: { reason: '$2::text' },
  }),
)

/** An operator whose first factor has been checked. $1 id, $2 `login_version` at that time. No row: it has changed. */
export const findPendingOperator = statement(
  'find_pending_operator',
  Type.Object({ name: Type.String(), email: Type.String() }),
  `SELECT name, email FROM operators WHERE id = $1::uuid AND login_version = $2::uuid AND status = 'active'`,
)

/** $1 operator id */
export const findOperatorTotp = findSecretStatement(
  'find_operator_totp',
  'operator_totp_secrets',
  'operator_id',
)

/** $1 operator id, $2 time step of the code, $3 the sealed secret that the code was checked with */
export const useOperatorTotp = useStepStatement('use_operator_totp', 'operator_totp_secrets', 'operator_id')

/** $1 operator id, $2 the hash of the code */
export const useOperatorRecoveryCode = useCodeStatement(
  'use_operator_recovery_code',
  'operator_recovery_codes',
  'operator_id',
)

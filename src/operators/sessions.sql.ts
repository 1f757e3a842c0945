import { findSessionStatement, SessionRow } from '../people/sessions.sql.ts'
import Type from '../typebox.ts'

export const Role = Type.Union([Type.Literal('owner'), Type.Literal('support'), Type.Literal('read_only')])

/** The live session of an active operator. $1 SHA-256 of the session id */
export const findOperatorSession = findSessionStatement(
  'operator',
  Type.Object({ ...SessionRow.properties, role: Role }),
  { account: 'o.role,', columns: 'found.role' },
)

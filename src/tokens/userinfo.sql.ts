import Type from 'typebox'
import { statement } from '../database/database.ts'
import { CallerColumns, callerColumns, callerOf } from './bearer.sql.ts'

/** What the partner knows the caller by. $1 SHA-256 of the access token */
export const findSubject = statement(
  'find_subject',
  Type.Object({ ...CallerColumns, subject: Type.Union([Type.String(), Type.Null()]) }),
  `WITH ${callerOf}
   SELECT ${callerColumns}, (SELECT subject FROM caller) AS subject`,
)

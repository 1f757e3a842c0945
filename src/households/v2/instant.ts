import { checkDate } from '../../directory/values.ts'
import Type from '../../typebox.ts'

/** RFC 3339 with capital letters, up to microseconds, in years that JavaScript and PostgreSQL both support. */
const format =
  /^([12]\d{3}-\d\d-\d\d)(T([01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,6}))?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/**
 * The instant in the form in which instants are compared and sent: `YYYY-MM-DDTHH:MM:SS.ffffffZ`. It keeps microseconds,
 * as PostgreSQL does; a Date would lose them. Undefined if the text is not an instant.
 */
export function readInstant(text: string): string | undefined {
  const [, date = '', time = '', , fraction = '', offset = ''] = format.exec(text) ?? []
  if (checkDate(date) !== null) return undefined
  return `${new Date(date + time + offset).toISOString().slice(0, 19)}.${fraction.padEnd(6, '0')}Z`
}

/** An instant in the form that `readInstant` returns. */
export const CanonicalInstant = Type.Refine(Type.String(), (text) => readInstant(text) === text)

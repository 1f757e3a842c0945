import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'

/** Parses untrusted JSON and checks it against a schema. @throws {SyntaxError} if it does not match */
export function parseJson<const T extends TSchema>(schema: T, text: string): Static<T> {
  const value: unknown = JSON.parse(text)
  if (!Value.Check(schema, value)) throw new SyntaxError('The JSON does not match its schema.')
  return value
}

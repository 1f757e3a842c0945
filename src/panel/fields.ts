import Type from '../typebox.ts'
import { filled } from './paging.ts'

const withoutNul = '^[^\\u0000]*$'

/** A field of a form. PostgreSQL's text type cannot store NUL. */
export const formText = (maxLength = 1000) => Type.Optional(Type.String({ maxLength, pattern: withoutNul }))

/** A part of the address. */
export const pathText = Type.String({ minLength: 1, maxLength: 500, pattern: withoutNul })

/** The parameter `done`: what the form before has done. */
export const DoneQuery = Type.Object({ done: Type.Optional(Type.String({ maxLength: 40 })) })

/** A text that may be removed: an empty field. */
export function textOrNull(value: string | undefined): string | null {
  return filled(value) ?? null
}

/** Reads a number with `parse`. Null: the field is empty. Adds a fault if it is no such number. */
export function numberOrNull(
  value: string | undefined,
  label: string,
  parse: (text: string) => number,
  faults: string[],
): number | null {
  const text = filled(value)
  if (text === undefined) return null
  try {
    return parse(text)
  } catch (error) {
    faults.push(`${label}: ${error instanceof Error ? error.message : 'is not a number'}.`)
    return null
  }
}

import { MalformedParameters } from './parameters.ts'

/**
 * Reads JSON. A name that occurs twice in one object is refused, as in a form: some readers take the first value and others
 * the last (RFC 8259 section 4).
 * @throws {MalformedParameters}
 */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new MalformedParameters(
      /^\w+=/.test(text)
        ? 'The body is a form, but its Content-Type is application/json. Send Content-Type: application/x-www-form-urlencoded.'
        : 'The body is not valid JSON.',
    )
  }
  if (hasRepeatedName(text)) throw new MalformedParameters('A name in the JSON body was sent more than once.')
  return value
}

/** Matches a name with its colon, any other string, or a brace. */
const token = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}]/g

/** `text` must be valid JSON. */
function hasRepeatedName(text: string): boolean {
  const open: Set<unknown>[] = []
  for (const [mark, string, colon] of text.matchAll(token)) {
    if (mark === '{') open.push(new Set())
    else if (mark === '}') open.pop()
    else if (string && colon) {
      const names = open.at(-1)
      const name: unknown = JSON.parse(string) // it may have escapes
      if (names?.has(name)) return true
      names?.add(name)
    }
  }
  return false
}

import { MalformedParameters } from './parameters.ts'

/**
 * Reads JSON. A name that stands twice in one object is refused, as it is in a form: of the two values one reader takes the
 * first, and another the last (RFC 8259 section 4).
 * @throws {MalformedParameters}
 */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new MalformedParameters('the body is not valid JSON')
  }
  if (hasRepeatedName(text)) throw new MalformedParameters('a name in the JSON body is sent more than once')
  return value
}

/** A name with its colon, any other string, or where an object begins or ends. */
const token = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}]/g

/** `text` is valid JSON. */
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

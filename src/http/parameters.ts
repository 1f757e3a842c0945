/** Parameters as they arrived; a name that was sent more than once has all its values. */
export type Form = Record<string, string | string[]>

/** Names sent once with their value, and the names sent more often. */
export type Parameters = { values: Record<string, string>; repeated: string[] }

export class MalformedParameters extends Error {}

/**
 * Reads `application/x-www-form-urlencoded` text, query or body, strictly: what is not percent-encoded UTF-8 is refused
 * rather than repaired, since two readers that repair differently see two different requests.
 * @throws {MalformedParameters}
 */
export function parseForm(text: string): Form {
  // No prototype: `__proto__` and `constructor` are names like any other.
  const form: Form = Object.create(null)
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const cut = pair.indexOf('=')
    const name = decode(cut < 0 ? pair : pair.slice(0, cut))
    const value = cut < 0 ? '' : decode(pair.slice(cut + 1))
    const before = form[name]
    // In place: copying the values at each repetition would let one small request occupy the server for a minute.
    if (Array.isArray(before)) before.push(value)
    else form[name] = before === undefined ? value : [before, value]
  }
  return form
}

/** All forms together; a name in two of them counts as sent twice. */
export function parametersOf(...forms: Form[]): Parameters {
  const values: Record<string, string> = Object.create(null)
  const repeated = new Set<string>()
  for (const [name, value] of forms.flatMap((form) => Object.entries(form))) {
    if (typeof value !== 'string' || name in values) repeated.add(name)
    values[name] ??= [value].flat()[0] ?? ''
  }
  return { values, repeated: [...repeated] }
}

/** The raw query of a request target, without its `?`. */
export function rawQuery(url: string): string {
  const cut = url.indexOf('?')
  return cut < 0 ? '' : url.slice(cut + 1)
}

/** A parameter's name as it may stand in an error_description, whose characters RFC 6749 bounds (sections 4.1.2.1, 5.2). */
export function printableName(name: string): string {
  return /^[A-Za-z0-9_.-]{1,40}$/.test(name) ? name : 'a parameter'
}

/** Parameters more in an address that was registered with us; those it has stay (RFC 6749 section 3.1.2). */
export function withParameters(address: string, parameters: Record<string, string>): string {
  return `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`
}

function decode(text: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new MalformedParameters('a parameter is not percent-encoded UTF-8')
  }
  if (decoded.includes('\0')) throw new MalformedParameters('a parameter holds the character NUL')
  return decoded
}

/** Parameters as they were sent. A name that was sent more than once has an array of its values. */
export type Form = Record<string, string | string[]>

/** The first value of each name, and the names that were sent more than once. */
export type Parameters = { values: Record<string, string>; repeated: string[] }

export class MalformedParameters extends Error {}

/**
 * Reads `application/x-www-form-urlencoded` text from a query or a body. Text that is not percent-encoded UTF-8 is refused
 * and not repaired: two readers that repair it differently would see two different requests.
 * @throws {MalformedParameters}
 */
export function parseForm(text: string): Form {
  // No prototype, so that `__proto__` and `constructor` are ordinary names.
  const form: Form = Object.create(null)
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const cut = pair.indexOf('=')
    const name = decode(cut < 0 ? pair : pair.slice(0, cut))
    const value = cut < 0 ? '' : decode(pair.slice(cut + 1))
    const before = form[name]
    // Append in place: if each repetition copied the values, one small request could occupy the server for a minute.
    if (Array.isArray(before)) before.push(value)
    else form[name] = before === undefined ? value : [before, value]
  }
  return form
}

/** Merges the forms. A name that occurs in two of them counts as sent twice. */
export function parametersOf(...forms: Form[]): Parameters {
  const values: Record<string, string> = Object.create(null)
  const repeated = new Set<string>()
  for (const form of forms) {
    for (const [name, value] of Object.entries(form)) {
      if (typeof value !== 'string' || name in values) repeated.add(name)
      values[name] ??= (typeof value === 'string' ? value : value[0]) ?? ''
    }
  }
  return { values, repeated: [...repeated] }
}

/** The raw query of a request target, without its `?`. */
export function rawQuery(url: string): string {
  const cut = url.indexOf('?')
  return cut < 0 ? '' : url.slice(cut + 1)
}

/** The name if an error_description may contain it: RFC 6749 limits the characters there (sections 4.1.2.1, 5.2). */
export function printableName(name: string): string {
  return /^[A-Za-z0-9_.-]{1,40}$/.test(name) ? name : 'A parameter'
}

/** Adds parameters to a registered address and keeps those that it already has (RFC 6749 section 3.1.2). */
export function withParameters(address: string, parameters: Record<string, string>): string {
  return `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`
}

function decode(text: string): string {
  let decoded = text
  try {
    if (/[+%]/.test(text)) decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new MalformedParameters('A parameter is not percent-encoded UTF-8.')
  }
  if (decoded.includes('\0')) throw new MalformedParameters('A parameter contains the character NUL.')
  return decoded
}

/** Parameters as they arrived: names seen once with their value, and the names seen more often. */
export type Parameters = { values: Record<string, string>; repeated: string[] }

export class MalformedParameters extends Error {}

/**
 * Reads `application/x-www-form-urlencoded` text, query or body, strictly: what is not percent-encoded UTF-8 is refused
 * rather than repaired, since two readers that repair differently see two different requests.
 * @throws {MalformedParameters}
 */
export function parseForm(text: string): Parameters {
  // No prototype: `__proto__` and `constructor` are names like any other.
  const values: Record<string, string> = Object.create(null)
  const repeated = new Set<string>()
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const cut = pair.indexOf('=')
    const name = decode(cut < 0 ? pair : pair.slice(0, cut))
    const value = cut < 0 ? '' : decode(pair.slice(cut + 1))
    if (name in values) repeated.add(name)
    else values[name] = value
  }
  return { values, repeated: [...repeated] }
}

/** Joins what two places sent; a name in both counts as repeated. */
export function merge(one: Parameters, other: Parameters): Parameters {
  const both = Object.keys(one.values).filter((name) => name in other.values)
  const values: Record<string, string> = Object.assign(Object.create(null), other.values, one.values)
  return { values, repeated: [...new Set([...one.repeated, ...other.repeated, ...both])] }
}

/** The raw query of a request target, without its `?`. */
export function rawQuery(url: string): string {
  const cut = url.indexOf('?')
  return cut < 0 ? '' : url.slice(cut + 1)
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

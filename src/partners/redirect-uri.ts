/**
 * Returns why a redirect URI cannot be registered, or undefined. Requests are later compared with it byte for byte (RFC 9700
 * section 4.1.3), so it must have the normal form that every browser uses.
 */
export function redirectUriFault(uri: string): string | undefined {
  if (uri.length > 1000) return 'is longer than 1000 characters'
  if (!/^[\x21-\x7e]+$/.test(uri)) return 'must have only visible ASCII characters. Percent-encode the others'
  if (!URL.canParse(uri)) return 'is not an absolute URL'
  const url = new URL(uri)
  if (uri.includes('#')) return 'must not have a fragment (RFC 6749 section 3.1.2)'
  if (url.username || url.password) return 'must not have user information'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return 'must be https, or http on localhost, 127.0.0.1 or [::1]'
  }
  // The URL parser accepts `;`, `,`, `*` and quotes in a host name. They have a meaning in headers and in policies.
  if (!/^([a-z0-9_.-]+|\[[0-9a-f:]+\])$/.test(url.hostname))
    return 'has a host name with characters other than a-z, 0-9, dot, underscore and hyphen'
  if (url.href !== uri && url.href !== `${uri}/`)
    return `is not in its normal form. Register ${url.href} instead`
  return undefined
}

function isLoopback(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

const equalWithout = {
  trailing_slash: (uri: string) => uri.replace(/\/$/, ''),
  scheme: (uri: string) => uri.replace(/^https?:/i, ''),
  case: (uri: string) => uri.toLowerCase(),
  query: (uri: string) => uri.split(/[?#]/, 1)[0],
} as const

export type RedirectUriDifference = keyof typeof equalWithout

const differences: RedirectUriDifference[] = ['trailing_slash', 'scheme', 'case', 'query']

/** The only thing that distinguishes the URI from a registered one. Undefined if it is less similar to all of them. */
export function onlyDifference(uri: string, registered: string[]): RedirectUriDifference | undefined {
  return differences.find((name) =>
    registered.some((other) => equalWithout[name](uri) === equalWithout[name](other)),
  )
}

/**
 * Why a redirect URI cannot be registered, or undefined. A registered one is compared byte for byte afterwards
 * (RFC 9700 section 4.1.3), so it must be written the way every browser reads it: one spelling, no surprises.
 */
export function redirectUriFault(uri: string): string | undefined {
  if (uri.length > 1000) return 'is longer than 1000 characters'
  if (!/^[\x21-\x7e]+$/.test(uri)) return 'may hold visible ASCII characters only; percent-encode the others'
  if (!URL.canParse(uri)) return 'is not an absolute URL'
  const url = new URL(uri)
  if (uri.includes('#')) return 'may not have a fragment (RFC 6749 section 3.1.2)'
  if (url.username || url.password) return 'may not hold user information'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return 'must be https, or http on localhost, 127.0.0.1 or [::1]'
  }
  // The URL parser lets `;`, `,`, `*` and quotes stand in a host name, which mean something in a header or a policy.
  if (!/^([a-z0-9_.-]+|\[[0-9a-f:]+\])$/.test(url.hostname))
    return 'has a host name with other characters than a-z 0-9 . _ -'
  if (url.href !== uri && url.href !== `${uri}/`) return `is not in its plain form; register ${url.href}`
  return undefined
}

function isLoopback(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

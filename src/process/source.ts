import ipaddr from 'ipaddr.js'

/**
 * The source for which failures are counted: an IPv4 address, or the /64 network of an IPv6 address, because a provider
 * gives each customer at least a /64. An IPv6 address that a translator made from an IPv4 address (RFC 6052) counts as
 * that IPv4 address. All invalid addresses that a proxy sends count as one source.
 */
export function sourceOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  const ip = ipaddr.process(address) // an IPv4 address mapped into IPv6 becomes IPv4
  if (ip instanceof ipaddr.IPv4) return ip.toString()
  if (ip.range() === 'rfc6052') return new ipaddr.IPv4(ip.toByteArray().slice(12)).toString()
  return `${ip.parts.slice(0, 4).join(':')}/64`
}

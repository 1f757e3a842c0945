import ipaddr from 'ipaddr.js'

/**
 * What the failures of an address are counted under: an IPv4 address, or the /64 of an IPv6 one, which is the least that
 * a single customer of a provider has to choose from. What a translator made of an IPv4 address (RFC 6052) is that
 * address again. What a proxy sends that is no address counts as one source.
 */
export function loginSource(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  const ip = ipaddr.process(address) // an IPv4 address mapped into IPv6 becomes IPv4
  if (ip instanceof ipaddr.IPv4) return ip.toString()
  if (ip.range() === 'rfc6052') return new ipaddr.IPv4(ip.toByteArray().slice(12)).toString()
  return `${ip.parts.slice(0, 4).join(':')}/64`
}

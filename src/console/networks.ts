import type { FastifyInstance } from 'fastify'
import ipaddr from 'ipaddr.js'

type Range = ReturnType<typeof ipaddr.parseCIDR>

/**
 * Answers 404 to requests from other networks, before anything of them is read. `request.ip` is the address that the proxies of
 * LATCHKEY_TRUSTED_PROXIES give: a header of anyone else does not count.
 * @param networks IP addresses, and networks such as 10.0.0.0/8. Empty: all
 */
export function onlyFromNetworks(app: FastifyInstance, networks: string[]): void {
  if (networks.length === 0) return
  const ranges = networks.map(rangeOf)
  app.addHook('onRequest', async (request, reply) => {
    if (isIn(request.ip, ranges)) return
    request.log.warn({ event: 'admin', outcome: 'other_network', address: request.ip })
    return reply
      .status(404)
      .header('cache-control', 'no-store')
      .type('text/plain; charset=utf-8')
      .send('There is nothing here.\n')
  })
}

function rangeOf(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.parse(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function isIn(text: string, ranges: Range[]): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text) // an IPv4 address mapped into IPv6 becomes IPv4
  return ranges.some(([range, bits]) => address.kind() === range.kind() && address.match(range, bits))
}

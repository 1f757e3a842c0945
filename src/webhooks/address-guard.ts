import { Resolver } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import type { Environment } from '../environment.ts'
import { quoted } from '../visible-text.ts'

// Which addresses the server may send webhooks to (docs/threats.md, threat 59). Partners choose the addresses, and the server
// can reach networks that partners must not reach.

export type GuardSettings = {
  environment: Environment
  /** Hosts, IP addresses and networks that are allowed in any case. Empty in production. */
  webhookAllow: readonly string[]
}

/**
 * A checked address. The connection must use it, without a second resolution: the answer could be another one (DNS rebinding).
 */
export type CheckedAddress = { address: string; family: 4 | 6 }

export type Resolution =
  | { kind: 'allowed'; addresses: CheckedAddress[] }
  /** An address is not public, or the name has no address now. */
  | { kind: 'refused'; fault: string }

/** The IPv4 and IPv6 addresses of a name. Rejects if the name server does not answer. */
export type ResolveHost = (host: string) => Promise<string[]>

const longestUrl = 2000
const longestResolutionMs = 5000

/** Networks of IPv4 that are not global (IANA IPv4 Special-Purpose Address Registry), multicast and reserved addresses. */
const specialIpv4 = blockList('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32', // the platform of Azure, which answers only the machine itself
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
])

/**
 * IPv6: only global unicast is allowed. That leaves out `::1`, `::ffff:0:0/96` and `64:ff9b::/96` (both contain an IPv4
 * address), `fc00::/7`, `fe80::/10` and `ff00::/8`.
 */
const globalUnicast = blockList('ipv6', ['2000::/3'])

/**
 * Parts of `2000::/3` that are not global: protocol assignments with Teredo, documentation, 6to4 (contains an IPv4 address).
 */
const specialIpv6 = blockList('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

/**
 * The faults of an address that a partner wants to register. Its host must resolve now: a partner should learn of a typo at
 * once. The delivery checks the host again.
 */
export async function addressFaults(
  url: string,
  settings: GuardSettings,
  resolve: ResolveHost = resolveHost,
): Promise<string[]> {
  const faults = urlFaults(url, settings)
  if (faults.length > 0) return faults
  const resolution = await checkHost(new URL(url), settings, resolve)
  return resolution.kind === 'allowed' ? [] : [resolution.fault]
}

/**
 * The faults in production that need no name server: those of the text, and of an IP address in it. For addresses that another
 * deployment will register, whose names may not resolve here.
 */
export async function productionAddressFaults(url: string): Promise<string[]> {
  const settings = { environment: 'production', webhookAllow: [] } as const
  const faults = urlFaults(url, settings)
  if (faults.length > 0 || isIP(hostOf(new URL(url))) === 0) return faults
  return addressFaults(url, settings)
}

// The URL parser has turned every notation of an IPv4 address (octal, hexadecimal, one number) into the usual one.
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

/** The faults that the text alone shows. */
function urlFaults(text: string, { environment }: GuardSettings): string[] {
  if (text.length > longestUrl) return [`The address must have at most ${longestUrl} characters.`]
  if (!URL.canParse(text)) return [`${quoted(text)} is not a URL. Write it with https://.`]
  const { protocol, username, password, hash } = new URL(text)
  const isHttps = protocol === 'https:'
  return [
    ...(isHttps || (protocol === 'http:' && environment === 'sandbox')
      ? []
      : ['The address must begin with https://.']),
    ...(username || password
      ? ['The address must have no user name or password. Check the signature of each delivery instead.']
      : []),
    ...(hash ? ['The address must have no fragment (#…).'] : []),
  ]
}

/** Resolves the host of an address, and checks every address that it has. */
export async function checkHost(
  url: URL,
  settings: GuardSettings,
  resolve: ResolveHost = resolveHost,
): Promise<Resolution> {
  const faults = urlFaults(url.href, settings)
  if (faults[0] !== undefined) return { kind: 'refused', fault: faults[0] }
  const host = hostOf(url)
  const found = isIP(host) ? [host] : await resolve(host).catch(() => [])
  const { webhookAllow } = settings
  const isAllowed = (address: string) => isGlobal(address) || isInNetworks(address, webhookAllow)
  if (found.length > 0 && (webhookAllow.includes(host) || found.every(isAllowed)))
    return { kind: 'allowed', addresses: found.map(withFamily) }
  return { kind: 'refused', fault: notPublic(host) }
}

/**
 * The same for a name without an address and for one inside: the name servers that answer may be those of the platform's own
 * network, and a partner could otherwise find out which names exist there, and their addresses.
 */
function notPublic(host: string): string {
  const fault = isIP(host)
    ? `The address ${host} is not public.`
    : `The DNS has no address of the host ${quoted(host)}, or one that is not public.`
  return `${fault} Webhooks go to public addresses only.`
}

function withFamily(address: string): CheckedAddress {
  return { address, family: isIP(address) === 6 ? 6 : 4 }
}

function isGlobal(address: string): boolean {
  if (isIP(address) === 4) return !specialIpv4.check(address, 'ipv4')
  return globalUnicast.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6')
}

function isInNetworks(address: string, networks: readonly string[]): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  const sameFamily = networks.filter((network) => isIP(network.replace(/\/.*/, '')) === isIP(address))
  return blockList(family, sameFamily).check(address, family)
}

function blockList(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits = family === 'ipv4' ? '32' : '128'] = network.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

/**
 * Not `dns.lookup`: it occupies one of the few threads of the process until the name server answers, and a partner chooses the
 * name server.
 */
async function resolveHost(host: string): Promise<string[]> {
  if (host === 'localhost') return ['127.0.0.1', '::1']
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  const timer = setTimeout(() => resolver.cancel(), longestResolutionMs)
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  clearTimeout(timer)
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

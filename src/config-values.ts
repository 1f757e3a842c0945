// Parsers for the values of environment variables. Each throws an error whose message completes `NAME: `.
import { isIP } from 'node:net'
import { IsDate, IsDateTime } from './typebox.ts'

/**
 * Reads one environment variable. If it is invalid, adds a fault and returns undefined.
 * @param defaultText the value if the variable is absent or empty
 */
export type ReadVariable = <T>(name: string, defaultText: string, parse: (text: string) => T) => T | undefined

/** Null: not set. */
export function optional<T>(parse: (text: string) => T): (text: string) => T | null {
  return (text) => (text === '' ? null : parse(text))
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d{1,6}$/.test(text) && number >= least && number <= most) return number
    throw new Error(`must be a whole number from ${least} to ${most}, not "${text}"`)
  }
}

export function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535)
    throw new Error(`must be a port from 1 to 65535, not "${text}"`)
  return port
}

export function parseOrigin(text: string): string {
  const url = parsePublicUrl(text)
  if (text.replace(/\/$/, '') !== url.origin)
    throw new Error(`must be an origin without a path, such as ${url.origin}`)
  return url.origin
}

export function parseBaseUrl(text: string): string {
  const url = parsePublicUrl(text)
  if (!url.pathname.endsWith('/service-open-api/') || url.origin + url.pathname !== text) {
    throw new Error('must end in /service-open-api/, without query or fragment')
  }
  return text
}

/** Tokens are sent to these addresses, so plain http is allowed on the loopback interface only (RFC 6749 section 1.6). */
function parsePublicUrl(text: string): URL {
  if (!URL.canParse(text)) throw new Error(`must be a URL, not "${text}"`)
  const url = new URL(text)
  const loopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback)) {
    throw new Error('must be https; http is for localhost only')
  }
  return url
}

export function parseHttpAddress(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new Error(`must be an http or https URL, not "${text}"`)
  return text
}

export function parseDatabaseUrl(text: string): string {
  if (text && !/^postgres(ql)?:\/\//.test(text)) throw new Error('must begin with postgres://')
  if (text && !URL.canParse(text)) {
    throw new Error('must be a URL; percent-encode the special characters of its password')
  }
  // They would replace the server's own options, which control how PostgreSQL plans statements.
  if (text && new URL(text).searchParams.has('options')) {
    throw new Error('must have no options; set them for the role: ALTER ROLE … SET …')
  }
  return text
}

/** RFC 3339. A date means its first instant in UTC. Null: not set. */
export function parseInstant(text: string): Date | null {
  if (text === '') return null
  const instant = new Date(text)
  if ((IsDate(text) || IsDateTime(text)) && !Number.isNaN(instant.getTime())) return instant
  throw new Error(
    `must be a date such as 2027-01-31 or an instant such as 2027-01-31T12:00:00Z, not "${text}"`,
  )
}

export function parseNetworks(text: string): string[] {
  const addresses = text.split(',').flatMap((part) => part.trim() || [])
  for (const address of addresses) {
    const [ip = '', bits, ...rest] = address.split('/')
    const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(ip)] ?? -1
    if (rest.length > 0 || !/^\d{1,3}$/.test(bits ?? '0') || Number(bits ?? 0) > maxBits) {
      throw new Error(`must be IP addresses or networks such as 10.0.0.0/8, and "${address}" is neither`)
    }
  }
  return addresses
}

/** Host names, IP addresses and networks. */
export function parseWebhookAllow(text: string): string[] {
  const entries = text.split(',').flatMap((part) => part.trim().toLowerCase() || [])
  for (const entry of entries) {
    if (isIP(entry.replace(/\/.*/, ''))) parseNetworks(entry)
    else if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(entry))
      throw new Error(`must be host names, IP addresses or networks, not "${entry}"`)
  }
  return entries
}

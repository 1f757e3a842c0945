import type { Config } from '../config.ts'

/** `__Host-` keeps a sibling host from planting one (RFC 6265bis section 4.1.3.2); browsers want https for it. */
export function cookieName(config: Config, name: string): string {
  return isHttps(config) ? `__Host-${name}` : name
}

export function cookieOptions(config: Config) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps(config) } as const
}

function isHttps(config: Config): boolean {
  return config.authUrl.startsWith('https:')
}

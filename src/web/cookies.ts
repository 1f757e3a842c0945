import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { randomSecret, sha256 } from '../secrets/token-format.ts'

/** With `__Host-`, a sibling host cannot set the cookie (RFC 6265bis section 4.1.3.2). The prefix requires https. */
export function cookieName(config: Config, name: string): string {
  return isHttps(config) ? `__Host-${name}` : name
}

export function cookieOptions(config: Config) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps(config) } as const
}

function isHttps(config: Config): boolean {
  return config.authUrl.startsWith('https:')
}

/** The session cookies of users, operators and developers. A session id counts only in the table of its cookie. */
type SessionCookie = 'latchkey-session' | 'latchkey-operator-session' | 'latchkey-developer-session'

/** SHA-256 of the session id that the browser sent, or null. */
export function sessionHash(
  request: FastifyRequest,
  config: Config,
  name: SessionCookie = 'latchkey-session',
): Buffer | null {
  const id = request.cookies[cookieName(config, name)]
  return id ? sha256(id) : null
}

export function newSessionId(): { id: string; hash: Buffer } {
  const id = randomSecret()
  return { id, hash: sha256(id) }
}

/** Call this only after the session is stored. If storing fails, the browser then keeps its live session. */
export function setSessionCookie(
  reply: FastifyReply,
  config: Config,
  id: string,
  name: SessionCookie = 'latchkey-session',
): void {
  reply.setCookie(cookieName(config, name), id, cookieOptions(config))
}

export function clearSessionCookie(
  reply: FastifyReply,
  config: Config,
  name: SessionCookie = 'latchkey-session',
): void {
  reply.clearCookie(cookieName(config, name), cookieOptions(config))
}

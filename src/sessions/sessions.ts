import Bowser from 'bowser'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { clearSessionCookie, newSessionId, sessionHash, setSessionCookie } from '../web/cookies.ts'
import { endSession, findSession, openSession, type Session } from './sessions.sql.ts'

/** The session that the browser is logged in by, with the SHA-256 of its id; and what the client has of its user. */
export async function liveSession(
  request: FastifyRequest,
  { config, database }: Context,
  clientId?: string,
): Promise<(Session & { hash: Buffer }) | undefined> {
  const hash = sessionHash(request, config)
  const session = hash ? await database.maybe(findSession, [hash, clientId ?? null]) : undefined
  return hash && session ? { ...session, hash } : undefined
}

/** Logs a browser in. `credential` is the SHA-256 of the password hash that was checked. */
export async function startSession(
  { config, database, now }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { userId, credential }: { userId: string; credential: Buffer },
): Promise<void> {
  const { id, hash } = newSessionId()
  const { browser, system } = browserName(request.headers['user-agent'])
  const old = sessionHash(request, config)
  await database.one(openSession, [hash, userId, old, now(), credential, browser, system])
  setSessionCookie(reply, config, id)
}

/** Ends this browser's login, in the database too. Grants and connections stay. */
export async function logOut(
  request: FastifyRequest,
  reply: FastifyReply,
  { config, database }: Pick<Context, 'config' | 'database'>,
): Promise<void> {
  const hash = sessionHash(request, config)
  const ended = hash && (await database.maybe(endSession, [hash]))
  if (ended) request.log.info({ event: 'logout', user_id: ended.user_id })
  clearSessionCookie(reply, config)
}

/** What a person would call the browser and the system of a User-Agent, as far as it can be told. */
function browserName(userAgent = ''): { browser: string | null; system: string | null } {
  const agent = userAgent.slice(0, 512) // a stranger's text, and what reads it are regular expressions
  if (agent === '') return { browser: null, system: null } // which the library would not accept
  const { browser, os } = Bowser.parse(agent)
  return { browser: named(browser.name), system: named(os.name) }
}

/** A name that the library does not know is whatever the User-Agent begins with. */
function named(name: string | undefined): string | null {
  return name?.trim().slice(0, 60) || null
}

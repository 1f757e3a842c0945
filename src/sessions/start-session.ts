import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { newSessionId, sessionHash, setSessionCookie } from '../http/session-cookie.ts'
import { browserName } from './browser-name.ts'
import { openSession } from './sessions.sql.ts'

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

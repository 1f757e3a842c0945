import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { clearSessionCookie, sessionHash } from '../http/session-cookie.ts'
import { endSession } from './sessions.sql.ts'

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

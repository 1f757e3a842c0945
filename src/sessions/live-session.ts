import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { sessionHash } from '../http/session-cookie.ts'
import { findSession, type Session } from './sessions.sql.ts'

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

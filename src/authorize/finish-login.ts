import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { Login } from '../login/login.ts'
import { startSession } from '../sessions/sessions.ts'
import { openPageRequest } from './page-request.ts'
import { type Destination, nextPage, renew } from './sealed-request.ts'

/** Opens the session and redirects to where the browser was going. Every way to log in ends here. */
export async function finishLogin(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { login, destination }: { login: Login; destination: Destination },
): Promise<FastifyReply> {
  const { authorization, texts } = await openPageRequest(context, request)
  const requestId = authorization.kind === 'invalid' ? undefined : authorization.request.id
  await startSession(context, request, reply, { login, requestId, language: texts.language })
  const renewed = await renew(context, authorization)
  return reply.redirect(nextPage(renewed ? { request: renewed } : destination), 303)
}

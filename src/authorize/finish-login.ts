import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { keepPendingLogin } from '../factors/pending-login.ts'
import { factorStep } from '../login/factor-step.ts'
import type { Login } from '../login/login.ts'
import { startSession } from '../sessions/sessions.ts'
import { findLoginFacts } from './acr-request.ts'
import { openPageRequest } from './page-request.ts'
import { type Destination, nextPage, reseal, withDestination } from './sealed-request.ts'

/**
 * Ends every way to log in. If the login lacks a second factor, no session is opened: the browser keeps the login, sealed, and
 * goes to the page for the factor. Otherwise opens the session and redirects to where the browser was going.
 */
export async function finishLogin(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { login, destination }: { login: Login; destination: Destination },
): Promise<FastifyReply> {
  const { authorization } = openPageRequest(context, request)
  const found = await findLoginFacts(context, login, authorization)
  // The user was disabled, or the credentials have changed, since they were checked. A session would live again as soon as the
  // user is enabled, without the second factor.
  if (!found) return reply.redirect(withDestination('/login', destination), 303)
  const step = factorStep(login, found.facts, found.acrRequest)
  if (step.kind !== 'none') {
    keepPendingLogin(context, reply, login)
    return reply.redirect(withDestination('/login/second-factor', destination), 303)
  }
  return reply.redirect(await openSession(context, request, reply, { login, destination }), 303)
}

/**
 * Opens the session of a complete login.
 * @param stepUpOffered whether the user was asked for a second factor
 * @returns the address of the next page
 */
export async function openSession(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { login, destination, stepUpOffered }: { login: Login; destination: Destination; stepUpOffered?: boolean },
): Promise<string> {
  const { authorization, texts } = openPageRequest(context, request)
  await startSession(context, request, reply, { login, language: texts.language })
  const resealed = await reseal(context, authorization, stepUpOffered)
  return nextPage(resealed ? { request: resealed } : destination)
}

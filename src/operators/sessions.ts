import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, type Role, scopesOf } from '../admin/scopes.ts'
import { type Origin, originOf, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { browserName } from '../sessions/browser-name.ts'
import { clearSessionCookie, newSessionId, sessionHash, setSessionCookie } from '../web/cookies.ts'
import {
  confirmOperatorSession,
  endOperatorSession,
  findOperatorSession,
  openOperatorSession,
} from './sessions.sql.ts'

const cookie = 'latchkey-operator-session'

/** An operator who is logged in. */
export type Operator = Actor & {
  kind: 'operator'
  email: string
  role: Role
  /** SHA-256 of the id of the session. */
  sessionHash: Buffer
  loginVersion: string
  /** Whether the operator has proved their identity in the last minutes. */
  isRecent: boolean
  /** The provider through which the operator logged in. Null: with a password. */
  providerId: string | null
}

/** SHA-256 of the id of the operator's session that the browser sent, or null. */
export function operatorSessionHash(request: FastifyRequest, { config }: Pick<Context, 'config'>) {
  return sessionHash(request, config, cookie)
}

/** The operator who is logged in in this browser. @throws {DatabaseUnavailable} */
export async function operatorOf(request: FastifyRequest, context: Context): Promise<Operator | undefined> {
  const hash = operatorSessionHash(request, context)
  const session = hash ? await context.database.maybe(findOperatorSession, [hash]) : undefined
  if (!hash || !session) return undefined
  return {
    kind: 'operator',
    id: session.operator_id,
    name: session.name,
    scopes: scopesOf(session.role),
    email: session.email,
    role: session.role,
    sessionHash: hash,
    loginVersion: session.login_version,
    isRecent: session.is_recent,
    providerId: session.provider_id,
  }
}

/** An operator who has proved who they are, and how. */
export type OperatorLogin = {
  id: string
  name: string
  loginVersion: string
  provider?: { id: string; sub: string; sid: string | null }
}

/** The origin of what an operator does in the console. */
export function operatorOrigin(request: FastifyRequest, { id, name }: { id: string; name: string }): Origin {
  return originOf(request, 'console', { kind: 'operator', id, name })
}

/** @returns whether the session was opened: the credentials may have changed since they were checked */
export async function startOperatorSession(
  { config, database }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { id: operatorId, name, loginVersion, provider }: OperatorLogin,
): Promise<boolean> {
  const { id, hash } = newSessionId()
  const { browser, system } = browserName(request.headers['user-agent'])
  const opened = await database.maybe(openOperatorSession, [
    ...[hash, operatorId, sessionHash(request, config, cookie), loginVersion, browser, system],
    ...[provider?.id ?? null, provider?.sub ?? null, provider?.sid ?? null],
    originValue(operatorOrigin(request, { id: operatorId, name })),
  ])
  if (opened) setSessionCookie(reply, config, id, cookie)
  return opened !== undefined
}

/** The operator has proved their identity again. The session gets a new id. */
export async function confirmSession(
  { config, database }: Context,
  reply: FastifyReply,
  { sessionHash: old }: Operator,
): Promise<boolean> {
  const { id, hash } = newSessionId()
  const confirmed = await database.maybe(confirmOperatorSession, [old, hash])
  if (confirmed) setSessionCookie(reply, config, id, cookie)
  return confirmed !== undefined
}

/** Ends this browser's session. */
export async function endSession(
  { config, database }: Context,
  reply: FastifyReply,
  operator: Operator,
  origin: Origin,
): Promise<void> {
  await database.maybe(endOperatorSession, [operator.sessionHash, originValue(origin)])
  clearSessionCookie(reply, config, cookie)
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Origin, originOf, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { browserName } from '../sessions/browser-name.ts'
import { clearSessionCookie, newSessionId, sessionHash, setSessionCookie } from '../web/cookies.ts'
import { type PeopleKind, viaOf } from './kind.ts'
import { type SessionRow, sessionStatements } from './sessions.sql.ts'

/** A session id of one kind of people counts only in the table of that kind. */
const cookieOf = (kind: PeopleKind) => `latchkey-${kind}-session` as const

/** An operator or developer who is logged in. */
export type Person = {
  id: string
  name: string
  email: string
  /** SHA-256 of the id of the session. */
  sessionHash: Buffer
  loginVersion: string
  /** Whether the person has proved their identity in the last minutes. */
  isRecent: boolean
  /** The provider through which the person logged in. Null: with a password. */
  providerId: string | null
}

/** @param hash SHA-256 of the id of the session */
export function personOfRow(hash: Buffer, row: SessionRow): Person {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    sessionHash: hash,
    loginVersion: row.login_version,
    isRecent: row.is_recent,
    providerId: row.provider_id,
  }
}

/** SHA-256 of the id of the person's session that the browser sent, or null. */
export function personSessionHash(
  request: FastifyRequest,
  { config }: Pick<Context, 'config'>,
  kind: PeopleKind,
): Buffer | null {
  return sessionHash(request, config, cookieOf(kind))
}

/** Someone who has proved who they are, and how. */
export type PersonLogin = {
  id: string
  name: string
  loginVersion: string
  /** `authenticatedAt`: when the person authenticated there. Null: the provider does not say. */
  provider?: { id: string; sub: string; sid: string | null; authenticatedAt: Date | null }
}

/** The origin of what a person does on the pages of their kind. */
export function personOrigin(
  request: FastifyRequest,
  kind: PeopleKind,
  { id, name }: { id: string; name: string },
): Origin {
  return originOf(request, viaOf[kind], { kind, id, name })
}

/** @returns whether the session was opened: the credentials may have changed since they were checked */
export async function startSession(
  { config, database }: Context,
  kind: PeopleKind,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { id: personId, name, loginVersion, provider }: PersonLogin,
): Promise<boolean> {
  const { id, hash } = newSessionId()
  const { browser, system } = browserName(request.headers['user-agent'])
  const opened = await database.maybe(sessionStatements[kind].open, [
    ...[hash, personId, sessionHash(request, config, cookieOf(kind)), loginVersion, browser, system],
    ...[provider?.id ?? null, provider?.sub ?? null, provider?.sid ?? null],
    originValue(personOrigin(request, kind, { id: personId, name })),
    provider?.authenticatedAt ?? null,
  ])
  if (opened) setSessionCookie(reply, config, id, cookieOf(kind))
  return opened !== undefined
}

/** The person has proved their identity again. The session gets a new id. */
export async function confirmSession(
  { config, database }: Context,
  kind: PeopleKind,
  reply: FastifyReply,
  { sessionHash: old }: Person,
): Promise<boolean> {
  const { id, hash } = newSessionId()
  const confirmed = await database.maybe(sessionStatements[kind].confirm, [old, hash])
  if (confirmed) setSessionCookie(reply, config, id, cookieOf(kind))
  return confirmed !== undefined
}

/** Ends this browser's session. */
export async function endSession(
  { config, database }: Context,
  kind: PeopleKind,
  reply: FastifyReply,
  person: Person,
  origin: Origin,
): Promise<void> {
  await database.maybe(sessionStatements[kind].end, [person.sessionHash, originValue(origin)])
  clearSessionCookie(reply, config, cookieOf(kind))
}

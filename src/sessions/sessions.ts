import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authentication } from '../acr.ts'
import { originValue, pageOrigin } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { browserOf, isKnownSince, newProof, rememberBrowser } from '../login/known-browser.ts'
import type { Login } from '../login/login.ts'
import { hmac } from '../secrets/derived-keys.ts'
import { clearSessionCookie, newSessionId, sessionHash, setSessionCookie } from '../web/cookies.ts'
import type { Language } from '../web/languages/languages.ts'
import { browserName } from './browser-name.ts'
import { endSession, findSession, openSession, type Session, strengthenSession } from './sessions.sql.ts'

/**
 * The live session of the browser, with the SHA-256 of its id. With `clientId`, it also has the user's subject for this
 * client and whether the client has a live grant.
 * @throws {DatabaseUnavailable}
 */
export async function liveSession(
  request: FastifyRequest,
  { config, database }: Context,
  clientId?: string,
): Promise<(Session & { hash: Buffer }) | undefined> {
  const hash = sessionHash(request, config)
  const session = hash ? await database.maybe(findSession, [hash, clientId ?? null]) : undefined
  return hash && session ? { ...session, hash } : undefined
}

/** Milliseconds after a login during which the user may change how the account is protected. */
const recentMs = 10 * 60 * 1000

/** Whether the user authenticated in the last ten minutes. */
export function isRecent({ auth_time: at, auth_time_is_known: isKnown }: Session, now: Date): boolean {
  return isKnown && now.getTime() - at.getTime() <= recentMs
}

/**
 * Logs a browser in. From now on, the account knows the browser. If it did not before, the user gets a mail.
 * @param language of the page: that of the user's mails from now on
 */
export async function startSession(
  { config, database, keys, now }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { login, language }: { login: Login; language: Language },
): Promise<void> {
  const { userId, loginVersion, acr, amr, provider } = login
  const { id, hash } = newSessionId()
  const { browser, system } = browserName(request.headers['user-agent'])
  const cookie = browserOf(request, config)
  const sendsMail = config.mail !== undefined && !isKnownSince(keys, cookie, login)
  const old = sessionHash(request, config)
  const authTime = provider?.authTime == null ? now() : new Date(provider.authTime)
  const isKnown = !provider || provider.authTime !== null
  await database.one(openSession, [
    ...[
      hash,
      userId,
      old,
      authTime,
      loginVersion,
      acr,
      amr,
      browser,
      system,
      provider?.requestId ?? null,
      isKnown,
    ],
    ...[provider?.id ?? null, provider?.sub ?? null, provider?.sid ?? null, provider?.idToken ?? null],
    config.mail ? language : null,
    sendsMail ? hmac(keys.current.throttle, 'browser mails', userId) : null,
    originValue(pageOrigin(request, userId)),
  ])
  setSessionCookie(reply, config, id)
  rememberBrowser(reply, config, cookie, newProof(keys, cookie, login))
}

/**
 * Replaces the browser's session by a stronger one of the same user.
 * @param authTime the new time of authentication, null to keep it
 * @returns whether the session was still live
 */
export async function strengthen(
  { config, database }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  session: Session & { hash: Buffer },
  { acr, amr }: Authentication,
  authTime: Date | null,
): Promise<boolean> {
  const { id, hash } = newSessionId()
  const origin = originValue(pageOrigin(request, session.user_id))
  const values = [session.hash, session.user_id, hash, acr, amr, authTime, origin]
  const strengthened = await database.maybe(strengthenSession, values)
  if (strengthened) setSessionCookie(reply, config, id)
  return strengthened !== undefined
}

/** A session that a login through a provider opened, and that has ended here. `idToken` is sealed. */
export type EndedAtProvider = { providerId: string; idToken: string | null }

/**
 * Ends this browser's session in the database and clears its cookie. Grants and connections stay.
 * @returns the session at the provider that the user may want to end too; undefined if the user did not log in through one
 */
export async function logOut(
  request: FastifyRequest,
  reply: FastifyReply,
  { config, database }: Pick<Context, 'config' | 'database'>,
): Promise<EndedAtProvider | undefined> {
  const hash = sessionHash(request, config)
  const ended = hash && (await database.maybe(endSession, [hash, originValue(pageOrigin(request, null))]))
  if (ended) request.log.info({ event: 'logout', user_id: ended.user_id })
  clearSessionCookie(reply, config)
  if (!ended || ended.provider_id === null) return undefined
  return { providerId: ended.provider_id, idToken: ended.provider_id_token }
}

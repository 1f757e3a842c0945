import type { FastifyBaseLogger } from 'fastify'
import { type Origin, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { newPasswordFaults, type PasswordFault, type PasswordOwner } from '../directory/new-password.ts'
import { hashPassword } from '../directory/passwords.ts'
import { type Browser, proofKey, tagged } from '../login/known-browser.ts'
import { logIn } from '../login/log-in.ts'
import { changePasswordInSession, type Session } from './sessions.sql.ts'

export type ChangeOutcome =
  /** `proof` is for `rememberBrowser`: the browser's old proof is invalid, because it depends on the old password. */
  | { kind: 'changed'; proof: string }
  | { kind: 'unfit'; fault: PasswordFault }
  /** The current password is wrong. It counts as a failed login: a stolen session must not allow unlimited attempts. */
  | { kind: 'refused' }
  | { kind: 'throttled'; retryAfterSeconds: number }
  | { kind: 'busy' }
  /** The session ended, or the password was changed elsewhere, while this change was in progress. */
  | { kind: 'conflict' }

/**
 * Changes the user's password and ends all other sessions. This session continues with a new id.
 * @param newSession SHA-256 of the new session id
 * @throws {DatabaseUnavailable}
 */
export async function changePassword(
  context: Context,
  origin: Origin,
  session: Session & { hash: Buffer },
  input: {
    current: string
    next: string
    owner: PasswordOwner
    address: string
    browser: Browser
    log: FastifyBaseLogger
  },
  newSession: Buffer,
): Promise<ChangeOutcome> {
  const [fault] = await newPasswordFaults(input.next, input.owner)
  if (fault) return { kind: 'unfit', fault }
  const login = await logIn(context, {
    email: session.email,
    password: input.current,
    address: input.address,
    browser: input.browser,
    log: input.log,
  })
  if (login.kind !== 'welcome') return login
  const changed = await context.database.maybe(changePasswordInSession, [
    session.hash,
    login.login.loginVersion,
    await context.passwordHashLimiter.hash(() => hashPassword(input.next)),
    newSession,
    proofKey(context.keys.current, input.browser, session.email),
    context.config.mail !== undefined,
    originValue(origin),
  ])
  if (!changed) return { kind: 'conflict' }
  return { kind: 'changed', proof: tagged(context.keys, input.browser, session.email, changed.proof) }
}

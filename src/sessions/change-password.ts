import { logIn } from '../authorize/login.ts'
import type { Context } from '../context.ts'
import { hashPassword } from '../directory/passwords.ts'
import { type PasswordFault, passwordFaults } from '../directory/users.ts'
import { changePasswordInSession, type Session } from './sessions.sql.ts'

export type ChangeOutcome =
  | { kind: 'changed'; othersEnded: number }
  | { kind: 'unfit'; fault: PasswordFault }
  /** The current password is wrong; it counts as a failed login, or a stolen session could guess without end. */
  | { kind: 'refused' }
  | { kind: 'throttled'; retryAfterSeconds: number }
  /** The session ended, or the password was changed elsewhere, while this was under way. */
  | { kind: 'overtaken' }

/** Changes the user's password and ends all sessions but this one, which goes on under `newSession`, another id. */
export async function changePassword(
  context: Context,
  session: Session & { hash: Buffer },
  asked: { current: string; next: string; source: string },
  newSession: Buffer,
): Promise<ChangeOutcome> {
  const [fault] = passwordFaults(asked.next)
  if (fault) return { kind: 'unfit', fault }
  const login = await logIn(context, {
    email: session.email,
    password: asked.current,
    source: asked.source,
  })
  if (login.kind !== 'welcome') return login
  const changed = await context.database.maybe(changePasswordInSession, [
    session.hash,
    login.credential,
    await hashPassword(asked.next),
    newSession,
  ])
  return changed ? { kind: 'changed', othersEnded: changed.others_ended } : { kind: 'overtaken' }
}

import type { Context } from '../context.ts'
import { foldCase } from '../directory/case-folding.ts'
import { maxPasswordBytes, verifyPassword } from '../directory/passwords.ts'
import { hmac } from '../secrets/derived-keys.ts'
import { sha256 } from '../secrets/token-format.ts'
import { beginLogin, forgiveLogin } from './login.sql.ts'

/** Failures in fifteen minutes; a source may be a whole office behind one address. */
const accountLimit = 10
const sourceLimit = 100

export type LoginOutcome =
  /** `credential` is the SHA-256 of the password hash that was checked. */
  | { kind: 'welcome'; userId: string; credential: Buffer }
  /** Wrong password, unknown user, disabled user: one answer, and the same work behind it. */
  | { kind: 'refused' }
  | { kind: 'throttled'; retryAfterSeconds: number }

export async function logIn(
  { database, keys }: Context,
  attempt: { email: string; password: string; source: string },
): Promise<LoginOutcome> {
  const email = foldCase(attempt.email.trim())
  // Keyed digests: the table tells nobody who tried to log in from where.
  const account = hmac(keys.throttle, 'account', email)
  const source = hmac(keys.throttle, 'source', attempt.source)
  if (Buffer.byteLength(attempt.password) > maxPasswordBytes) return { kind: 'refused' }

  const found = await database.one(beginLogin, [account, source, email])
  if (found.account_count > accountLimit || found.source_count > sourceLimit) {
    return { kind: 'throttled', retryAfterSeconds: Math.max(1, found.wait) }
  }
  const matches = await verifyPassword(attempt.password, found.password_hash)
  if (!matches || found.user_id === null || found.password_hash === null) return { kind: 'refused' }
  await database.run(forgiveLogin, [account, source])
  return { kind: 'welcome', userId: found.user_id, credential: sha256(found.password_hash) }
}

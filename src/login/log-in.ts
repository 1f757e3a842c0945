import type { Context } from '../context.ts'
import { foldCase } from '../directory/case-folding.ts'
import { maxPasswordBytes, verifyPassword } from '../directory/passwords.ts'
import { hmac } from '../secrets/derived-keys.ts'
import { sha256 } from '../secrets/token-format.ts'
import { type Browser, proofKey } from './known-browser.ts'
import { beginLogin, forgiveLogin } from './login.sql.ts'
import { loginSource } from './login-source.ts'

export type LoginAttempt = {
  email: string
  password: string
  /** The address that it comes from. */
  address: string
  browser: Browser
}

export type LoginOutcome =
  /** `credential` is the SHA-256 of the password hash that was checked; `proof` is for `rememberBrowser`. */
  | { kind: 'welcome'; userId: string; credential: Buffer; proof: string }
  /** Wrong password, unknown user, disabled user: one answer, and the same work behind it. */
  | { kind: 'refused' }
  | { kind: 'throttled'; retryAfterSeconds: number }
  /** Too many others are logging in; nothing was counted. */
  | { kind: 'busy' }

/** @throws {DatabaseUnavailable} */
export async function logIn(context: Context, attempt: LoginAttempt): Promise<LoginOutcome> {
  if (Buffer.byteLength(attempt.password) > maxPasswordBytes) return { kind: 'refused' }
  const source = loginSource(attempt.address)
  return (await context.hashing.admit(source, () => guess(context, attempt, source))) ?? { kind: 'busy' }
}

async function guess(
  { database, keys, hashing }: Context,
  { password, browser, ...attempt }: LoginAttempt,
  from: string,
): Promise<LoginOutcome> {
  const email = foldCase(attempt.email.trim())
  // Keyed digests: the table tells nobody who tried to log in from where.
  const source = hmac(keys.throttle, 'source', from)
  const account = hmac(keys.throttle, 'account', email)
  const ofBrowser = hmac(keys.throttle, 'browser', browser.id, email)
  const found = await database.one(beginLogin, [
    source,
    account,
    email,
    ofBrowser,
    proofKey(keys, browser, email),
    browser.proofs,
  ])
  if (found.wait !== null) return { kind: 'throttled', retryAfterSeconds: found.wait }
  const matches = await hashing.hash(() => verifyPassword(password, found.password_hash))
  const { user_id: userId, password_hash: hash, proof } = found
  if (!matches || userId === null || hash === null || proof === null) return { kind: 'refused' }
  await database.run(forgiveLogin, [source, found.known_browser ? ofBrowser : account])
  return { kind: 'welcome', userId, credential: sha256(hash), proof }
}

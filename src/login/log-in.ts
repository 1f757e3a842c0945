import type { FastifyBaseLogger } from 'fastify'
import { passwordAcr } from '../acr.ts'
import type { Context } from '../context.ts'
import { foldCase } from '../directory/case-folding.ts'
import { maxPasswordBytes, verifyPassword } from '../directory/passwords.ts'
import { sourceOf } from '../process/source.ts'
import { hmac } from '../secrets/derived-keys.ts'
import { type Browser, isKnownTo, proofKey } from './known-browser.ts'
import { beginLogin, forgiveLogin } from './login.sql.ts'
import type { Login } from './login.ts'

export type LoginAttempt = {
  email: string
  password: string
  /** The IP address of the client. */
  address: string
  browser: Browser
  log: FastifyBaseLogger
}

export type LoginOutcome =
  | { kind: 'welcome'; login: Login }
  /** Wrong password, unknown user or disabled user. The response and the work are the same for all three. */
  | { kind: 'refused' }
  | { kind: 'throttled'; retryAfterSeconds: number }
  /** Too many logins are in progress. This attempt was not counted. */
  | { kind: 'busy' }

/** @throws {DatabaseUnavailable} */
export async function logIn(context: Context, attempt: LoginAttempt): Promise<LoginOutcome> {
  if (Buffer.byteLength(attempt.password) > maxPasswordBytes) return { kind: 'refused' }
  const source = sourceOf(attempt.address)
  const email = foldCase(attempt.email.trim())
  const knownAccount = isKnownTo(context.keys, attempt.browser, email) ? email : undefined
  const outcome = context.passwordHashLimiter.admit({ source, knownAccount }, () =>
    checkPassword(context, { ...attempt, email }, source),
  )
  return (await outcome) ?? { kind: 'busy' }
}

async function checkPassword(
  { database, keys, passwordHashLimiter, rehashing }: Context,
  { email, password, browser, log }: LoginAttempt,
  source: string,
): Promise<LoginOutcome> {
  // Keyed digests: a copy of the table does not reveal who tried to log in from which address.
  const { throttle } = keys.current
  const sourceKey = hmac(throttle, 'source', source)
  const accountKey = hmac(throttle, 'account', email)
  const browserKey = hmac(throttle, 'browser', browser.id, email)
  const found = await database.one(beginLogin, [
    sourceKey,
    accountKey,
    email,
    browserKey,
    keys.accepted.map((accepted) => proofKey(accepted, browser, email)),
    browser.proofs,
  ])
  if (found.wait !== null) return { kind: 'throttled', retryAfterSeconds: found.wait }
  const { user_id: userId, login_version: loginVersion, password_hash: hash } = found
  const onFault = (fault: Error) =>
    log.warn({ err: fault, event: 'verify_password', outcome: 'failed', ...(userId && { user_id: userId }) })
  const matches = await passwordHashLimiter.hash(() => verifyPassword(password, hash, onFault))
  if (!matches || userId === null || loginVersion === null) return { kind: 'refused' }
  await database.run(forgiveLogin, [sourceKey, found.known_browser ? browserKey : accountKey])
  if (hash !== null) rehashing.replaceIfForeign({ userId, password, hash })
  return { kind: 'welcome', login: { userId, email, loginVersion, acr: passwordAcr, amr: ['pwd'] } }
}

import type { FastifyBaseLogger } from 'fastify'
import { passwordAcr } from '../acr.ts'
import type { FailedLogin } from '../audit/failed-logins.ts'
import type { Context } from '../context.ts'
import { foldCase } from '../directory/case-folding.ts'
import { maxPasswordBytes, verifyPassword } from '../directory/passwords.ts'
import { sourceOf } from '../process/source.ts'
import { hmac } from '../secrets/derived-keys.ts'
import { type Browser, isKnownTo, proofKey } from './known-browser.ts'
import { beginLogin, forgiveLogin, type loginStatement } from './login.sql.ts'
import type { Login } from './login.ts'

export type LoginAttempt = {
  email: string
  password: string
  /** The IP address of the client. */
  address: string
  browser: Browser
  log: FastifyBaseLogger
}

/** Why the password was not accepted. */
export type LoginRefusal =
  /** Wrong password, unknown user or disabled user. The response and the work are the same for all three. */
  | { kind: 'refused' }
  | { kind: 'throttled'; retryAfterSeconds: number }
  /** Too many logins are in progress. This attempt was not counted. */
  | { kind: 'busy' }

export type LoginOutcome = { kind: 'welcome'; login: Login } | LoginRefusal

/** @throws {DatabaseUnavailable} */
export async function logIn(context: Context, attempt: LoginAttempt): Promise<LoginOutcome> {
  const outcome = await checkPassword(context, attempt, { begin: beginLogin, label: '' })
  if (outcome.kind !== 'matches') return outcome
  const { id: userId, loginVersion, hash } = outcome
  context.rehashing.replaceIfForeign({ userId, password: attempt.password, hash })
  const email = foldCase(attempt.email.trim())
  return { kind: 'welcome', login: { userId, email, loginVersion, acr: passwordAcr, amr: ['pwd'] } }
}

/** Whose password: of users, operators or developers. */
type Accounts = {
  begin: ReturnType<typeof loginStatement>
  /** Separates their counts of failures from those of others. */
  label: string
}

/** The password matches an account that may log in. */
type Match = { kind: 'matches'; id: string; loginVersion: string; hash: string }

/** Checks a password, and counts failures. @throws {DatabaseUnavailable} */
export async function checkPassword(
  context: Context,
  attempt: LoginAttempt,
  accounts: Accounts,
): Promise<Match | LoginRefusal> {
  if (Buffer.byteLength(attempt.password) > maxPasswordBytes) return { kind: 'refused' }
  const source = sourceOf(attempt.address)
  const email = foldCase(attempt.email.trim())
  const knownAccount = isKnownTo(context.keys, attempt.browser, email) ? email : undefined
  const outcome = context.passwordHashLimiter.admit({ source, knownAccount }, () =>
    checkAdmitted(context, { ...attempt, email }, source, accounts),
  )
  return (await outcome) ?? { kind: 'busy' }
}

async function checkAdmitted(
  { database, keys, passwordHashLimiter, failedLogins }: Context,
  { email, password, address, browser, log }: LoginAttempt,
  source: string,
  { begin, label }: Accounts,
): Promise<Match | LoginRefusal> {
  // Keyed digests: a copy of the table does not reveal who tried to log in from which address.
  const { throttle } = keys.current
  const sourceKey = hmac(throttle, `${label}source`, source)
  const accountKey = hmac(throttle, `${label}account`, email)
  const browserKey = hmac(throttle, `${label}browser`, browser.id, email)
  const found = await database.one(begin, [
    sourceKey,
    accountKey,
    email,
    browserKey,
    keys.accepted.map((accepted) => proofKey(accepted, browser, email)),
    browser.proofs,
  ])
  const failed = (reason: FailedLogin['reason']) => {
    const account = found.id === null ? { accountDigest: accountKey.toString('hex') } : { userId: found.id }
    // Operators and developers have their own records.
    if (label === '') failedLogins.count({ method: 'password', reason, address, ...account })
  }
  if (found.wait !== null) {
    failed('throttled')
    return { kind: 'throttled', retryAfterSeconds: found.wait }
  }
  const { id, login_version: loginVersion, password_hash: hash } = found
  const onFault = (fault: Error) =>
    log.warn({
      err: fault,
      event: 'verify_password',
      outcome: 'failed',
      ...(id && { [`${label.trim() || 'user'}_id`]: id }),
    })
  const matches = await passwordHashLimiter.hash(() => verifyPassword(password, hash, onFault))
  if (!matches || id === null || loginVersion === null || hash === null) {
    failed('refused')
    return { kind: 'refused' }
  }
  await database.run(forgiveLogin, [sourceKey, found.known_browser ? browserKey : accountKey])
  return { kind: 'matches', id, loginVersion, hash }
}

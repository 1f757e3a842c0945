import ipaddr from 'ipaddr.js'
import type { Context } from '../context.ts'
import { foldCase } from '../directory/case-folding.ts'
import { maxPasswordBytes, verifyPassword } from '../directory/passwords.ts'
import { hmac } from '../secrets/derived-keys.ts'
import { sha256 } from '../secrets/token-format.ts'
import { type Browser, isKnownTo, proofKey, tagged } from './known-browser.ts'
import { beginLogin, forgiveLogin } from './login.sql.ts'

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
  const email = foldCase(attempt.email.trim())
  const knownAccount = isKnownTo(context.keys, attempt.browser, email) ? email : undefined
  const outcome = context.passwordHashLimiter.admit({ source, knownAccount }, () =>
    checkPassword(context, { ...attempt, email }, source),
  )
  return (await outcome) ?? { kind: 'busy' }
}

async function checkPassword(
  { database, keys, passwordHashLimiter }: Context,
  { email, password, browser }: LoginAttempt,
  from: string,
): Promise<LoginOutcome> {
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
  const matches = await passwordHashLimiter.hash(() => verifyPassword(password, found.password_hash))
  const { user_id: userId, password_hash: hash, proof } = found
  if (!matches || userId === null || hash === null || proof === null) return { kind: 'refused' }
  await database.run(forgiveLogin, [source, found.known_browser ? ofBrowser : account])
  return { kind: 'welcome', userId, credential: sha256(hash), proof: tagged(keys, browser, email, proof) }
}

/**
 * What the failures of an address are counted under: an IPv4 address, or the /64 of an IPv6 one, which is the least that
 * a single customer of a provider has to choose from. What a translator made of an IPv4 address (RFC 6052) is that
 * address again. What a proxy sends that is no address counts as one source.
 */
function loginSource(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  const ip = ipaddr.process(address) // an IPv4 address mapped into IPv6 becomes IPv4
  if (ip instanceof ipaddr.IPv4) return ip.toString()
  if (ip.range() === 'rfc6052') return new ipaddr.IPv4(ip.toByteArray().slice(12)).toString()
  return `${ip.parts.slice(0, 4).join(':')}/64`
}

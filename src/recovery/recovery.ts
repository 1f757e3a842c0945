import { type Origin, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { foldCase } from '../directory/case-folding.ts'
import { newPasswordFaults, type PasswordFault, type PasswordOwner } from '../directory/new-password.ts'
import { hashPassword } from '../directory/passwords.ts'
import { type Browser, isKnownTo, proofKey, tagged } from '../login/known-browser.ts'
import { sourceOf } from '../process/source.ts'
import { hmac } from '../secrets/derived-keys.ts'
import { sealStored } from '../secrets/stored-secret.ts'
import { randomSecret, sha256 } from '../secrets/token-format.ts'
import { passwordOwner } from '../sessions/password-owner.ts'
import type { Language } from '../web/languages/languages.ts'
import { findLink, type Requested, requestLink, setPasswordByLink } from './recovery.sql.ts'

/** The path to which a link leads. */
export const linkPath = '/password/reset'

/**
 * A new link to set a password, with 256 random bits. The database gets the digest. The address begins with the configured
 * `authUrl`: an attacker could choose the `Host` of a request, and the user's click would send the secret to the attacker.
 */
export function newLink(authUrl: string): { address: string; hash: Buffer } {
  const secret = randomSecret()
  return { address: `${authUrl}${linkPath}?${new URLSearchParams({ token: secret })}`, hash: sha256(secret) }
}

/** Whether a text has the form of a secret from `newLink`. */
export function isLinkSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

/**
 * Names a link in the form that shows its account, without its secret. The cookie of another link may have replaced this one's
 * since then: the user typed the password for the account of the form.
 */
export function linkName(secret: string): string {
  return sha256(sha256(secret)).toString('base64url')
}

/**
 * Mails a link to the user with this address, if there is one. The caller answers the same for every outcome. The work is
 * the same as well: one statement, which counts the request for every address, and nothing is hashed with a password hash.
 * @throws {DatabaseUnavailable}
 */
export async function requestPasswordLink(
  { config, database, keys }: Context,
  origin: Origin,
  request: { email: string; address: string; browser: Browser; language: Language },
): Promise<Requested> {
  const email = foldCase(request.email.trim())
  const { throttle } = keys.current
  const link = newLink(config.authUrl)
  // A browser that the account knows is not slowed down by others of the same network.
  const source = isKnownTo(keys, request.browser, email)
    ? hmac(throttle, 'link browser', request.browser.id, email)
    : hmac(throttle, 'link source', sourceOf(request.address))
  return database.one(requestLink, [
    source,
    hmac(throttle, 'link account', email),
    email,
    link.hash,
    sealStored(keys, link.address),
    request.language,
    originValue(origin),
  ])
}

/** The user for whom the link works. @throws {DatabaseUnavailable} */
export async function ownerOfLink(context: Context, secret: string): Promise<PasswordOwner | undefined> {
  return (await userOfLink(context, secret))?.owner
}

async function userOfLink(
  context: Context,
  secret: string,
): Promise<{ id: string; owner: PasswordOwner } | undefined> {
  const user = await context.database.maybe(findLink, [sha256(secret)])
  if (!user) return undefined
  const { id, name, email, has_second_factor: hasSecondFactor } = user
  return { id, owner: passwordOwner(context, { name, email, hasSecondFactor }) }
}

export type SetOutcome =
  /** `proof` is for `rememberBrowser`: failed logins elsewhere must not keep this browser from the next login. */
  | { kind: 'set'; proof: string }
  | { kind: 'unfit'; owner: PasswordOwner; fault: PasswordFault }
  /** The form belongs to another link than the browser holds now, whose user is `owner`. */
  | { kind: 'other_link'; owner: PasswordOwner }
  /** The link was used, has expired, or was replaced. */
  | { kind: 'dead' }

/**
 * Sets the password of the link's user and ends the user's sessions. It opens no session: the user logs in next, with a
 * second factor if one is required. Without a link that works, nothing is hashed.
 * @param origin for the user of the link
 * @param input.formLink the `linkName` in the form
 * @throws {DatabaseUnavailable}
 */
export async function setPassword(
  context: Context,
  origin: (userId: string) => Origin,
  input: { secret: string; formLink: string; password: string; browser: Browser },
): Promise<SetOutcome> {
  const { config, database, keys, passwordHashLimiter } = context
  const user = await userOfLink(context, input.secret)
  if (!user) return { kind: 'dead' }
  const { owner } = user
  if (input.formLink !== linkName(input.secret)) return { kind: 'other_link', owner }
  const [fault] = await newPasswordFaults(input.password, owner)
  if (fault) return { kind: 'unfit', owner, fault }
  const changed = await database.maybe(setPasswordByLink, [
    sha256(input.secret),
    await passwordHashLimiter.hash(() => hashPassword(input.password)),
    proofKey(keys.current, input.browser, owner.email),
    config.mail !== undefined,
    originValue(origin(user.id)),
  ])
  if (!changed) return { kind: 'dead' }
  return { kind: 'set', proof: tagged(keys, input.browser, owner.email, changed.proof) }
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { Login } from '../login/login.ts'
import { acceptedKeys, isMacOfAny, macOf } from '../secrets/derived-keys.ts'
import { randomId } from '../secrets/token-format.ts'
import { cookieName, cookieOptions } from '../web/cookies.ts'

/** The cookies of users, operators and developers. */
type FactorCookie = 'latchkey-factor' | 'latchkey-operator-factor' | 'latchkey-developer-factor'

const lifetimeSeconds = 180 * 24 * 3600

/** Whose second factor was proved in the browser, and with which credentials. */
type Account = Pick<Login, 'userId' | 'loginVersion'>

/**
 * Remembers that the user has proved a second factor in this browser. A login with the password makes a browser known to the
 * account too, but not for this: an attacker may have logged in with the password before the user had a second factor.
 */
export function rememberProof(
  reply: FastifyReply,
  { config, keys }: Context,
  account: Account,
  name: FactorCookie = 'latchkey-factor',
): void {
  const id = randomId()
  const options = { ...cookieOptions(config), maxAge: lifetimeSeconds }
  reply.setCookie(
    cookieName(config, name),
    `${id}.${macOf(keys.current.browser, ...parts(id, account))}`,
    options,
  )
}

/** The id of a browser in which this user has proved a second factor since the credentials last changed. */
export function provedBrowserOf(
  request: FastifyRequest,
  { config, keys }: Context,
  account: Account,
  name: FactorCookie = 'latchkey-factor',
): string | undefined {
  const [id = '', mac = ''] = (request.cookies[cookieName(config, name)] ?? '').split('.')
  return isMacOfAny(mac, acceptedKeys(keys, 'browser'), ...parts(id, account)) ? id : undefined
}

function parts(id: string, { userId, loginVersion }: Account): string[] {
  return ['second factor', id, userId, loginVersion]
}

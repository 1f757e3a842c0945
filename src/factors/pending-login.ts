import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { Login } from '../login/login.ts'
import { acceptedKeys } from '../secrets/derived-keys.ts'
import { openJson, sealJson } from '../secrets/seal.ts'
import { randomId } from '../secrets/token-format.ts'
import Type, { Compile, type Static } from '../typebox.ts'
import { cookieName, cookieOptions } from '../web/cookies.ts'

const lifetimeMs = 10 * 60 * 1000
const name = 'latchkey-login'
/** Of the value: browsers limit name, value and attributes together to 4096 bytes (RFC 6265bis section 5.6). */
const maxCookieBytes = 3800

const Pending = Type.Object({
  kind: Type.Literal('pending-login'),
  id: Type.String(),
  /** What the user has proved so far. */
  login: Login,
  /** Milliseconds since the epoch. */
  expiresAt: Type.Number(),
})
const pending = Compile(Pending)

/** A login whose second factor is missing. No session exists for it. */
export type PendingLogin = Static<typeof Pending>

/**
 * Keeps a login for the second factor, in a cookie of this browser only: sealed, so that the browser can neither read nor
 * change it, and for ten minutes. A page or an address never contains it.
 */
export function keepPendingLogin(context: Context, reply: FastifyReply, login: Login): void {
  const expiresAt = context.now().getTime() + lifetimeMs
  store(context, reply, { kind: 'pending-login', id: randomId(), login, expiresAt })
}

/** Keeps what the user has proved in addition. The ten minutes go on. */
export function updatePendingLogin(
  context: Context,
  reply: FastifyReply,
  before: PendingLogin,
  login: Login,
): void {
  store(context, reply, { ...before, login })
}

function store({ config, keys }: Context, reply: FastifyReply, content: PendingLogin): void {
  const whole = sealJson(content, keys.current.seal)
  const { login } = content
  // Browsers drop longer cookies. Without the id_token, the provider's logout asks the user to confirm it.
  const sealed =
    whole.length <= maxCookieBytes || !login.provider
      ? whole
      : sealJson(
          { ...content, login: { ...login, provider: { ...login.provider, idToken: null } } },
          keys.current.seal,
        )
  reply.setCookie(cookieName(config, name), sealed, cookieOptions(config))
}

/** Undefined: this browser has no login that is younger than ten minutes. */
export function pendingLoginOf(
  { config, keys, now }: Context,
  request: FastifyRequest,
): PendingLogin | undefined {
  const sealed = request.cookies[cookieName(config, name)]
  const content = sealed && openJson(sealed, acceptedKeys(keys, 'seal'))
  return pending.Check(content) && content.expiresAt > now().getTime() ? content : undefined
}

export function endPendingLogin({ config }: Context, reply: FastifyReply): void {
  reply.clearCookie(cookieName(config, name), cookieOptions(config))
}

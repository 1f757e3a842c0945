import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { Login } from '../login/login.ts'
import { randomId } from '../secrets/token-format.ts'
import Type, { type Static } from '../typebox.ts'
import { sealedCookie } from '../web/sealed-cookie.ts'

/** Milliseconds that a user has for the second factor. */
const pendingLifetimeMs = 10 * 60 * 1000

const Pending = Type.Object({
  kind: Type.Literal('pending-login'),
  id: Type.String(),
  /** What the user has proved so far. */
  login: Login,
  expiresAt: Type.Number(),
})
const cookie = sealedCookie('latchkey-login', Pending)

/** A login whose second factor is missing. No session exists for it. */
export type PendingLogin = Static<typeof Pending>

/**
 * Keeps a login for the second factor, in a cookie of this browser only: sealed, so that the browser can neither read nor
 * change it, and for ten minutes. A page or an address never contains it.
 */
export function keepPendingLogin(context: Context, reply: FastifyReply, login: Login): void {
  const expiresAt = context.now().getTime() + pendingLifetimeMs
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

function store(context: Context, reply: FastifyReply, content: PendingLogin): void {
  if (cookie.set(context, reply, content)) return
  const { login } = content
  if (!login.provider) throw new Error('a pending login is too long for a cookie')
  // Without the id_token, the provider's logout asks the user to confirm it.
  const short = { ...content, login: { ...login, provider: { ...login.provider, idToken: null } } }
  cookie.set(context, reply, short)
}

/** Undefined: this browser has no login that is younger than ten minutes. */
export function pendingLoginOf(context: Context, request: FastifyRequest): PendingLogin | undefined {
  return cookie.open(context, request)
}

export function endPendingLogin(context: Context, reply: FastifyReply): void {
  cookie.clear(context, reply)
}

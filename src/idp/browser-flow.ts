import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { acceptedKeys, isMacOfAny, macOf } from '../secrets/derived-keys.ts'
import { openJson, sealJson } from '../secrets/seal.ts'
import { randomSecret } from '../secrets/token-format.ts'
import Type, { Compile, type Static } from '../typebox.ts'
import { cookieName, cookieOptions } from '../web/cookies.ts'

/** Seconds. A user may have to reset a password at the provider before the login goes on. */
const lifetime = 3600

/** Flows that one browser may have at once, for example in several tabs. Another one replaces one of them. */
const slots = 4

/** A login, until the provider sends the browser back. */
const LoginFlow = Type.Object({
  /** A login of a user, an operator or a developer never counts as one of the others. */
  kind: Type.Union([Type.Literal('login'), Type.Literal('operator-login'), Type.Literal('developer-login')]),
  providerId: Type.String(),
  nonce: Type.String(),
  codeVerifier: Type.String(),
  /** Milliseconds since the epoch. */
  startedAt: Type.Number(),
  /** Seconds: how old the authentication at the provider could be when the flow started. */
  maxAge: Type.Optional(Type.Integer()),
  /** The authorization request whose `prompt` and `max_age` the login meets. Absent: the login is for none. */
  requestId: Type.Optional(Type.String()),
})
export type LoginFlow = Static<typeof LoginFlow>

/** A logout, until the provider sends the browser back. */
const LogoutFlow = Type.Object({ kind: Type.Literal('logout'), providerId: Type.String() })
export type LogoutFlow = Static<typeof LogoutFlow>

/** Must differ from the schemas of authorization and logout requests, which are sealed with the same key. */
const Sealed = Type.Object({
  flow: Type.Union([LoginFlow, LogoutFlow]),
  /** Makes the `state`. Only this cookie contains it. */
  key: Type.String(),
  /** Milliseconds since the epoch. */
  expiresAt: Type.Number(),
})
const sealed = Compile(Sealed)

/**
 * Remembers a flow in a cookie of this browser, and makes the `state` that the provider sends back. An attacker who sends the
 * browser a callback of another login (RFC 9700 section 4.7) lacks the cookie, and the server needs no row for strangers.
 *
 * `carried` is text that the browser needs after the flow, such as a sealed authorization request. It is part of the `state`,
 * because a cookie has no space for it.
 */
export function startFlow(
  { config, keys, now }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { flow, carried }: { flow: LoginFlow | LogoutFlow; carried: string },
): string {
  const at = now().getTime()
  const free = Array.from({ length: slots }, (_, slot) => slot).find(
    (slot) => request.cookies[cookieName(config, nameOf(slot))] === undefined,
  )
  const slot = free ?? Math.floor(at / 1000) % slots
  const key = randomSecret()
  const content: Static<typeof Sealed> = { flow, key, expiresAt: at + lifetime * 1000 }
  const value = sealJson(content, keys.current.seal)
  reply.setCookie(cookieName(config, nameOf(slot)), value, { ...cookieOptions(config), maxAge: lifetime })
  return stateOf(slot, key, carried)
}

/**
 * The flow of this browser that the `state` belongs to. Deletes the cookie: a flow ends once.
 * @returns undefined if the browser has no such flow, because it was started elsewhere, used, or more than an hour ago
 */
export function endFlow<Kind extends (LoginFlow | LogoutFlow)['kind']>(
  { config, keys, now }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, state }: { kind: Kind; state: string },
): FlowOf<Kind> | undefined {
  const slot = /^[0-3](?=\.)/.exec(state)?.[0]
  const name = cookieName(config, nameOf(Number(slot ?? '0')))
  const cookie = request.cookies[name]
  if (slot === undefined || cookie === undefined) return undefined
  const content = openJson(cookie, acceptedKeys(keys, 'seal'))
  if (!sealed.Check(content) || content.expiresAt <= now().getTime()) return undefined
  const [, mac = ''] = state.split('.')
  if (!isMacOfAny(mac, [Buffer.from(content.key)], carriedBy(state))) return undefined
  reply.clearCookie(name, cookieOptions(config))
  return isKind(content.flow, kind) ? content.flow : undefined
}

/** The text that the flow carries, without a check: it must be checked as any text from a browser. */
export function carriedBy(state: string): string {
  return state.split('.').slice(2).join('.')
}

type FlowOf<Kind> = Kind extends LogoutFlow['kind'] ? LogoutFlow : LoginFlow

function isKind<Kind extends (LoginFlow | LogoutFlow)['kind']>(
  flow: LoginFlow | LogoutFlow,
  kind: Kind,
): flow is FlowOf<Kind> & (LoginFlow | LogoutFlow) {
  return flow.kind === kind
}

function nameOf(slot: number): string {
  return `latchkey-flow-${slot}`
}

function stateOf(slot: number, key: string, carried: string): string {
  return `${slot}.${macOf(Buffer.from(key), carried)}.${carried}`
}

import type { Context } from '../context.ts'
import { findPartner } from '../partners/partners.sql.ts'
import { openJson, sealJson } from '../secrets/seal.ts'
import Type, { Compile, type Static } from '../typebox.ts'
import { AuthorizationRequest } from './authorization-request.ts'

/** Ten minutes, in milliseconds: how long a sealed request is valid. */
export const sealedLifetimeMs = 10 * 60 * 1000

const Sealed = Type.Object({
  request: AuthorizationRequest,
  /** The user for whom the connect page was made. Only this user may submit it. */
  userId: Type.Optional(Type.String()),
  /** Milliseconds since the epoch. */
  expiresAt: Type.Number(),
})
type Sealed = Static<typeof Sealed>
const sealed = Compile(Sealed)

export type Unsealed =
  | { kind: 'open'; request: AuthorizationRequest; userId?: string }
  | { kind: 'expired'; request: AuthorizationRequest }
  | { kind: 'invalid' }

/**
 * Encrypts and authenticates the request for the browser to carry. The browser can neither read nor change it, and an
 * unauthenticated request writes no row. The connect page seals the request again, for another ten minutes.
 */
export function seal(request: AuthorizationRequest, key: Buffer, now: Date, userId?: string): string {
  const content: Sealed = { request, expiresAt: now.getTime() + sealedLifetimeMs, ...(userId && { userId }) }
  return sealJson(content, key)
}

/** Returns an expired request too, so that the error page can offer to start it again. */
export function unseal(text: string, keys: readonly Buffer[], now: Date): Unsealed {
  const content = openJson(text, keys)
  if (!sealed.Check(content)) return { kind: 'invalid' }
  const { request, userId, expiresAt } = content
  if (expiresAt <= now.getTime()) return { kind: 'expired', request }
  return { kind: 'open', request, ...(userId && { userId }) }
}

/**
 * Milliseconds. The code is derived from the request. After a day the purge may have deleted the connection that shows
 * that the code was already used.
 */
const maxRequestAgeMs = 24 * 3600 * 1000

/**
 * Seals the request of a completed login again, if necessary.
 *
 * A user may leave the login page open for longer than ten minutes. After the login, an expired request that is less
 * than a day old is sealed again for ten minutes. Its `issuedAt` stays the same, so the new session always counts as a
 * login for this request. The request stays expired if its redirect URI is no longer registered for the partner.
 *
 * @param stepUpOffered the user could prove a stronger factor for the `acr_values` of the request, and is not asked again
 * @returns the new sealed text, or undefined if the old one is not replaced
 * @throws {DatabaseUnavailable}
 */
export async function reseal(
  { database, keys, now }: Context,
  authorization: Unsealed,
  stepUpOffered = false,
): Promise<string | undefined> {
  if (authorization.kind === 'invalid') return undefined
  const request = { ...authorization.request, ...(stepUpOffered && { stepUpOffered }) }
  if (authorization.kind === 'open') {
    return stepUpOffered ? seal(request, keys.current.seal, now()) : undefined
  }
  if (now().getTime() - request.issuedAt > maxRequestAgeMs) return undefined
  const partner = await database.maybe(findPartner, [request.clientId])
  if (!partner?.redirect_uris.includes(request.redirectUri)) return undefined
  return seal(request, keys.current.seal, now())
}

/**
 * Where the browser goes after a form: on with a sealed request, or to one of our pages. A form never contains an
 * address, which prevents open redirects.
 */
export const Destination = Type.Object({
  request: Type.Optional(Type.String()),
  page: Type.Optional(
    Type.Union([Type.Literal('sessions'), Type.Literal('password'), Type.Literal('security')]),
  ),
})
export type Destination = Static<typeof Destination>

const destination = Compile(Destination)

/** Of the fields of a form or query, those that name the next page. The others must not get into an address. */
function onlyDestination({ request, page }: Destination): Destination {
  return { ...(request && { request }), ...(page && { page }) }
}

/** The destination as text that a flow at a provider carries (`startFlow`). */
export function carriedText(destination: Destination): string {
  return new URLSearchParams(onlyDestination(destination)).toString()
}

/** The reverse of `carriedText`. Text of another shape carries none. */
export function carriedDestination(carried: string): Destination {
  const found = Object.fromEntries(new URLSearchParams(carried))
  return destination.Check(found) ? onlyDestination(found) : {}
}

/** The address of the login page. With a choice, it does not lead to the only provider at once. */
export function loginPage(destination: Destination, choose?: 'password' | 'account'): string {
  const parameters = new URLSearchParams({ ...onlyDestination(destination), ...(choose && { choose }) })
  return parameters.size > 0 ? `/login?${parameters}` : '/login'
}

export function nextPage({ request, page }: Destination): string {
  return request ? `/connect?${new URLSearchParams({ request })}` : `/${page ?? 'connections'}`
}

/** The address of one of our pages that the browser passes on its way to the destination. */
export function withDestination(path: string, { request, page }: Destination): string {
  const query = new URLSearchParams({ ...(request && { request }), ...(page && { page }) })
  return query.size > 0 ? `${path}?${query}` : path
}

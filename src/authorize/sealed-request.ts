import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Context } from '../context.ts'
import { findPartner } from '../partners/partners.sql.ts'
import { openJson, sealJson } from '../secrets/seal.ts'
import { AuthorizationRequest } from './authorization-request.ts'

/** What a browser carries, sealed, is good for ten minutes. */
export const sealedLifetimeMs = 10 * 60 * 1000

const Sealed = Type.Object({
  request: AuthorizationRequest,
  /** Set once the connect page was made for a user: nobody else may submit it. */
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
 * The request as text for the browser to carry: authenticated encryption, so it is neither read nor changed on the way,
 * and no row is written for a stranger. Making the connect page renews the ten minutes.
 */
export function seal(
  request: AuthorizationRequest,
  key: Buffer,
  now: Date,
  userId?: string,
): Promise<string> {
  const content: Sealed = { request, expiresAt: now.getTime() + sealedLifetimeMs, ...(userId && { userId }) }
  return sealJson(content, key)
}

/** An expired one is still readable: the error page can offer to start the same request again. */
export async function unseal(text: string, key: Buffer, now: Date): Promise<Unsealed> {
  const content = await openJson(text, key)
  if (!sealed.Check(content)) return { kind: 'invalid' }
  const { request, userId, expiresAt } = content
  if (expiresAt <= now.getTime()) return { kind: 'expired', request }
  return { kind: 'open', request, ...(userId && { userId }) }
}

/** Milliseconds. The code is derived from the request, and after a day the purge may have taken the row that knows it. */
const oldest = 24 * 3600 * 1000

/**
 * A login page may be open for longer than ten minutes: at the login, a request of this day that expired meanwhile is
 * sealed for ten more. Its `issuedAt` stays, and the session just opened is younger than that whatever it says. One may
 * name a redirect URI that the partner has given up since, and is left expired.
 *
 * @returns the new sealed text, or undefined where the old one stays
 */
export async function renew(
  { database, keys, now }: Context,
  authorization: Unsealed,
): Promise<string | undefined> {
  if (authorization.kind !== 'expired') return undefined
  const { request } = authorization
  if (now().getTime() - request.issuedAt > oldest) return undefined
  const partner = await database.maybe(findPartner, [request.clientId])
  if (!partner?.redirect_uris.includes(request.redirectUri)) return undefined
  return seal(request, keys.seal, now())
}

/** Where a form leads: on with a sealed request, or to a page of ours. No return address is ever read from a request. */
export const Destination = Type.Object({
  request: Type.Optional(Type.String()),
  page: Type.Optional(Type.Union([Type.Literal('sessions'), Type.Literal('password')])),
})
export type Destination = Static<typeof Destination>

export function nextPage({ request, page }: Destination): string {
  return request ? `/connect?${new URLSearchParams({ request })}` : `/${page ?? 'connections'}`
}

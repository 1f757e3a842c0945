import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
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

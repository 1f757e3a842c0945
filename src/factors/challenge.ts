import type { Context } from '../context.ts'
import { acceptedKeys } from '../secrets/derived-keys.ts'
import { openJson, sealJson } from '../secrets/seal.ts'
import Type, { Compile, type Static } from '../typebox.ts'

/** How long a page with a challenge can be answered, in milliseconds. */
export const challengeLifetimeMs = 10 * 60 * 1000

const Challenge = Type.Object({
  kind: Type.Literal('passkey-challenge'),
  use: Type.Union([Type.Literal('login'), Type.Literal('second-factor'), Type.Literal('register')]),
  /** The login or the session that the page belongs to. Empty for a login that has no user yet. */
  owner: Type.String(),
  /** Milliseconds since the epoch. */
  expiresAt: Type.Number(),
})
const challenge = Compile(Challenge)

/** What a challenge may be answered for. */
export type ChallengePurpose = Pick<Static<typeof Challenge>, 'use' | 'owner'>

/**
 * A challenge for an authenticator. It is sealed and therefore needs no row before it is answered: every visit of the
 * login page makes one. The random initialization vector makes each one different. `use_passkey` lets each count once.
 */
export function newChallenge({ keys, now }: Context, purpose: ChallengePurpose): string {
  const expiresAt = now().getTime() + challengeLifetimeMs
  return sealJson({ kind: 'passkey-challenge', ...purpose, expiresAt }, keys.current.seal)
}

/** Whether this server made the challenge, for this purpose, less than ten minutes ago. */
export function isOwnChallenge(
  { keys, now }: Context,
  text: string,
  { use, owner }: ChallengePurpose,
): boolean {
  const content = openJson(text, acceptedKeys(keys, 'seal'))
  return (
    challenge.Check(content) &&
    content.use === use &&
    content.owner === owner &&
    content.expiresAt > now().getTime()
  )
}

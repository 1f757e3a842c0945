import type { Context } from '../context.ts'
import type { Token } from '../secrets/token-format.ts'
import { type IdTokenFacts, signIdToken } from './id-token.ts'
import type { IssuedTokens } from './outcome.ts'

/** What goes out for a code or a refresh token: the new tokens, and an id_token about the login they come of. */
export async function issuedTokens(
  context: Context,
  access: Token,
  refresh: Token,
  about: Omit<IdTokenFacts, 'accessToken'>,
): Promise<IssuedTokens> {
  const idToken = await signIdToken(context, { ...about, accessToken: access.text })
  return { kind: 'issued', accessToken: access.text, refreshToken: refresh.text, idToken }
}

import type { Context } from '../context.ts'
import { parseRefreshToken } from '../secrets/connection-token.ts'
import { sha256 } from '../secrets/token-format.ts'
import { verifyAccessToken } from '../secrets/verified-tokens.ts'

/** What introspection and revocation compare with the connection's row. `proof`: the access nonce or the generation. */
export type PresentedToken =
  | { kind: 'access'; locatorHash: Buffer; proof: Buffer; expiresAt: Date }
  | { kind: 'refresh'; locatorHash: Buffer; proof: number; expiresAt: Date }
  /** Not a token of this server. Its nulls match no row: the statement then only authenticates the client. */
  | { kind: 'none'; locatorHash: null; proof: null; expiresAt: null }

/** Reads a token of either kind: clients need not send `token_type_hint` (RFC 7009 section 2.1). */
export function presentedToken({ config, keys }: Context, text: string): PresentedToken {
  const access = verifyAccessToken(text, config.environment, keys)
  if (access.kind === 'ok') {
    const { locatorHash, nonce, expiresAt } = access.token
    return { kind: 'access', locatorHash, proof: nonce, expiresAt }
  }
  const refresh = parseRefreshToken(text, config.environment, keys)
  if (refresh.kind === 'ok') {
    const { locator, generation, expiresAt } = refresh.token
    const proof = generation
    return { kind: 'refresh', locatorHash: sha256(locator), proof, expiresAt: new Date(expiresAt * 1000) }
  }
  return { kind: 'none', locatorHash: null, proof: null, expiresAt: null }
}

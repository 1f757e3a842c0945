import { SignJWT } from 'jose'
import type { Context } from '../context.ts'
import type { SigningAlgorithm } from '../keys/signing-keys.ts'

/** Seconds; it says that a login happened and is of no use later. */
const lifetime = 3600

/** OpenID Connect Core section 2. A refresh gives one too, without the nonce (section 12.2). */
export function signIdToken(
  { config, signingKey, now }: Context,
  about: {
    subject: string
    clientId: string
    authTime: Date
    nonce: string | null
    /** The access token that goes out beside it. */
    accessToken: string
    algorithm: SigningAlgorithm
  },
): Promise<string> {
  const issuedAt = Math.floor(now().getTime() / 1000)
  const claims = {
    auth_time: Math.floor(about.authTime.getTime() / 1000),
    ...(about.nonce !== null && { nonce: about.nonce }),
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: signingKey.algorithm, kid: signingKey.kid, typ: 'JWT' })
    .setIssuer(config.authUrl)
    .setSubject(about.subject)
    .setAudience(about.clientId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetime)
    .sign(signingKey.privateKey)
}

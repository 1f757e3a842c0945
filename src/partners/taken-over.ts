import type { Environment } from '../environment.ts'
import { quoted } from '../visible-text.ts'
import { takesSecret } from './auth-methods.ts'
import { foreignEnvironment, isClientId, isForeignClientId } from './client-id.ts'

/** Characters that a secret of another service must have: 22 of base64 have 128 random bits (RFC 6749 section 10.10). */
export const shortestForeignSecret = 22

/** What a partner brings from the service that knew it before. */
export type TakenOver = {
  clientId: string
  /** `sha256:` and the digest of its secret, in 64 hexadecimal or 43 base64url characters. Undefined: it gets a new secret. */
  secretHash?: string | undefined
}

/** The reasons against it: messages for the operator. `authMethods` are those that the partner gets here. */
export function takeOverFaults(
  { clientId, secretHash }: TakenOver,
  environment: Environment,
  authMethods: string[],
): string[] {
  const foreign = foreignEnvironment(clientId, environment)
  const isKnownForm = isClientId(clientId) || isForeignClientId(clientId)
  return [
    foreign ? `The client id ${quoted(clientId)} belongs to ${foreign}. This is ${environment}.` : [],
    isKnownForm
      ? []
      : `The client id ${quoted(clientId)} must have 3 to 100 characters of A-Z a-z 0-9 . _ ~ -, must begin with a letter or digit, and must not begin with lk_.`,
    secretHash === undefined || secretDigest(secretHash) ? [] : hashFault(secretHash),
    secretHash === undefined || takesSecret(authMethods)
      ? []
      : 'A partner that authenticates with private_key_jwt has no secret, so there is no hash of one.',
  ].flat()
}

/** The SHA-256 of the secret. Undefined: the text is not one. */
export function secretDigest(text: string): Buffer | undefined {
  const [, hex, base64] = /^sha256:(?:([0-9a-fA-F]{64})|([0-9A-Za-z+/_-]{43})=?)$/.exec(text) ?? []
  if (hex !== undefined) return Buffer.from(hex, 'hex')
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64')
}

/**
 * Hashes for passwords (bcrypt, Argon2, PBKDF2, scrypt) are refused. Every token request would have to compute one, which
 * takes longer than the rest of the request, and the statement that acts for a client compares the secret itself.
 */
function hashFault(text: string): string {
  const isForPasswords = /^(\$|\{|pbkdf2|bcrypt|argon2|scrypt)/i.test(text)
  return isForPasswords
    ? 'The hash of the secret is one for passwords (such as bcrypt, Argon2 or PBKDF2), which the token endpoint does not verify. Hash the secret itself: printf %s "$SECRET" | sha256sum. If you do not have the secret, leave the hash out: the partner gets a new secret.'
    : 'The hash of the secret must be sha256: and 64 hexadecimal characters, or 43 of base64.'
}

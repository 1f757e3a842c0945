import type { TokenRefusal } from '../http/refusals.ts'
import type { AuthMethod } from './partners.sql.ts'

/** The credential that a client sent. The statement that acts on it decides whether it is correct. */
export type ClientCredential = {
  clientId: string
  method: AuthMethod
  /** SHA-256 of the secret, or the RFC 7638 SHA-256 thumbprint of the key that verified the assertion. */
  digest: Buffer
  /** Can be used once. `hash` is SHA-256 over client_id and jti. */
  assertion?: { hash: Buffer; expiresAt: Date }
}

export type ReadCredential = { kind: 'presented'; credential: ClientCredential } | TokenRefusal

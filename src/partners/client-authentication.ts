import type { TokenRefusal } from '../http/refusals.ts'
import type { AuthMethod } from './partners.sql.ts'

/** What a client shows for itself. Whether it is right is for the statement that acts on it to say. */
export type ClientCredential = {
  clientId: string
  method: AuthMethod
  /** SHA-256 of the secret, or the RFC 7638 SHA-256 thumbprint of the key that verified the assertion. */
  digest: Buffer
  /** What acting on it uses up: SHA-256 over client_id and jti. */
  assertion?: { hash: Buffer; expiresAt: Date }
}

export type ReadCredential = { kind: 'presented'; credential: ClientCredential } | TokenRefusal

import { randomBytes } from 'node:crypto'
import type { Environment } from '../../src/environment.ts'
import {
  accessTokenText,
  locatorBytes,
  nonceBytes,
  refreshTokenText,
} from '../../src/secrets/connection-token.ts'
import { newToken, type TokenKind } from '../../src/secrets/token-format.ts'
import { testKeys } from './server.ts'

/** A valid text of this kind that no server has issued. Access and refresh tokens are signed by the shared test secret. */
export function neverIssued(kind: TokenKind, environment: Environment = 'sandbox'): string {
  if (kind === 'ac' || kind === 'cs') return newToken(environment, kind).text
  const locator = randomBytes(locatorBytes)
  const keys = testKeys(environment).current
  const expiresAt = Math.floor(Date.now() / 1000) + 3600
  return kind === 'at'
    ? accessTokenText(environment, keys, { locator, nonce: randomBytes(nonceBytes), expiresAt })
    : refreshTokenText(environment, keys, { locator, generation: 1, expiresAt })
}

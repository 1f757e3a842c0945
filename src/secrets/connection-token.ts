import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Environment } from '../environment.ts'
import { type DerivedKeys, hmac, type SecretKeys } from './derived-keys.ts'
import {
  parseToken,
  type TokenTextRefusal,
  tokenPrefix,
  tokenText,
  wordDigits,
  wordOf,
} from './token-format.ts'

// The text of access and refresh tokens (docs/adr/0019). The body is, in base62:
//
//   1 character    version
//   3 characters   id of the key, derived from LATCHKEY_SECRET
//   42 characters  28 bytes: locator (16), access nonce or generation (8), expiry in seconds since 1970 (4)
//   24 characters  16 bytes: the first half of HMAC-SHA-256 over the whole text before
//
// Six characters hold four bytes, so each value has exactly one text.

const version = '1'
const idEnd = version.length + 3
const payloadEnd = idEnd + 42
const payloadBytes = 28
const macBytes = 16

/** `locator` names a connection without saying which. `expiresAt` is in whole seconds since 1970. */
export type AccessToken = { locator: Buffer; nonce: Buffer; expiresAt: number }
export type RefreshToken = { locator: Buffer; generation: number; expiresAt: number }

export type ConnectionTokenRefusal =
  | TokenTextRefusal
  /** `forged`: altered, or never issued here. `unknown_key`: signed under a secret that is not configured. */
  | { kind: 'refused'; reason: 'forged' }
  | { kind: 'refused'; reason: 'unknown_key'; keyId: string }

type Parsed<Token> = { kind: 'ok'; token: Token } | ConnectionTokenRefusal

export const locatorBytes = 16
export const nonceBytes = 8

/**
 * The locator of a connection's access tokens. An access token therefore does not reveal the locator of the refresh token,
 * and the secret is not involved, so that it can be replaced.
 */
export function accessLocatorOf(refreshLocator: Buffer): Buffer {
  return hmac(refreshLocator, 'access locator').subarray(0, locatorBytes)
}

export function accessTokenText(environment: Environment, keys: DerivedKeys, token: AccessToken): string {
  return signedText(environment, 'at', keys, [token.locator, token.nonce, uint32(token.expiresAt)])
}

export function refreshTokenText(environment: Environment, keys: DerivedKeys, token: RefreshToken): string {
  const generation = [uint32(0), uint32(token.generation)]
  return signedText(environment, 'rt', keys, [token.locator, ...generation, uint32(token.expiresAt)])
}

/** Checks the text and its MAC, without the database. The token may have expired, and its connection may have ended. */
export function parseAccessToken(
  text: string,
  environment: Environment,
  keys: SecretKeys,
): Parsed<AccessToken> {
  const parsed = parsePayload(text, environment, 'at', keys)
  if (parsed.kind === 'refused') return parsed
  const { locator, value: nonce, expiresAt } = parsed
  return { kind: 'ok', token: { locator, nonce, expiresAt } }
}

/** As `parseAccessToken`. */
export function parseRefreshToken(
  text: string,
  environment: Environment,
  keys: SecretKeys,
): Parsed<RefreshToken> {
  const parsed = parsePayload(text, environment, 'rt', keys)
  if (parsed.kind === 'refused') return parsed
  const { locator, value, expiresAt } = parsed
  return { kind: 'ok', token: { locator, generation: value.readUInt32BE(4), expiresAt } }
}

function signedText(
  environment: Environment,
  kind: 'at' | 'rt',
  keys: DerivedKeys,
  payload: Buffer[],
): string {
  const body = version + keys.id + digitsOf(Buffer.concat(payload))
  return tokenText(environment, kind, body + digitsOf(macOfText(environment, kind, keys, body)))
}

function parsePayload(
  text: string,
  environment: Environment,
  kind: 'at' | 'rt',
  keys: SecretKeys,
): { kind: 'ok'; locator: Buffer; value: Buffer; expiresAt: number } | ConnectionTokenRefusal {
  const parsed = parseToken(text, environment, kind)
  if (parsed.kind === 'refused') return parsed
  const { body } = parsed
  const payload = bytesOf(body.slice(idEnd, payloadEnd))
  const mac = bytesOf(body.slice(payloadEnd))
  if (!body.startsWith(version) || !payload || !mac) return { kind: 'refused', reason: 'forged' }
  const id = body.slice(version.length, idEnd)
  const signer = keys.accepted.find((accepted) => accepted.id === id)
  if (!signer) return { kind: 'refused', reason: 'unknown_key', keyId: id }
  if (!timingSafeEqual(mac, macOfText(environment, kind, signer, body.slice(0, payloadEnd)))) {
    return { kind: 'refused', reason: 'forged' }
  }
  const expiresAt = payload.readUInt32BE(payloadBytes - 4)
  if (signer.tokensExpireBefore && expiresAt * 1000 >= signer.tokensExpireBefore.getTime()) {
    return { kind: 'refused', reason: 'forged' } // after the change of the secret, by someone who has the old one
  }
  return {
    kind: 'ok',
    locator: payload.subarray(0, locatorBytes),
    value: payload.subarray(locatorBytes, locatorBytes + nonceBytes),
    expiresAt,
  }
}

function macOfText(environment: Environment, kind: 'at' | 'rt', keys: DerivedKeys, body: string): Buffer {
  const key = keys[kind === 'at' ? 'access-token' : 'refresh-token']
  const mac = createHmac('sha256', key).update(tokenPrefix(environment, kind) + body)
  return mac.digest().subarray(0, macBytes)
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function digitsOf(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 4) text += wordDigits(bytes.readUInt32BE(at))
  return text
}

function bytesOf(text: string): Buffer | undefined {
  const bytes = Buffer.alloc((text.length / 6) * 4)
  for (let at = 0; at < text.length; at += 6) {
    const word = wordOf(text.slice(at, at + 6))
    if (word === undefined) return undefined
    bytes.writeUInt32BE(word, (at / 6) * 4)
  }
  return bytes
}

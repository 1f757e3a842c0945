import { hash } from 'node:crypto'
import type { Environment } from '../environment.ts'
import { type ConnectionTokenRefusal, nonceBytes, parseAccessToken } from './connection-token.ts'
import type { SecretKeys } from './derived-keys.ts'
import { sha256 } from './token-format.ts'

/** What the statement that decides about a token needs. No token can be made of it, because the locator is missing. */
export type VerifiedAccessToken = { locatorHash: Buffer; nonce: Buffer; expiresAt: Date }

/** Bounds the memory: about 1 kB for each. */
const mostRemembered = 2000

const remembered = new WeakMap<SecretKeys, Map<string, VerifiedAccessToken>>()

/**
 * As `parseAccessToken`, but a text that was genuine once is not checked again: the result depends on the text and the keys
 * alone. Whether the token is live and has not expired is not part of it, and must be decided for each call. A client uses
 * a token many times, and the check is 5 % of a short call.
 *
 * The SHA-256 of a text finds its result, so that no token stays in memory, and so that the time of the look-up reveals
 * nothing about other tokens.
 */
export function verifyAccessToken(
  text: string,
  environment: Environment,
  keys: SecretKeys,
): { kind: 'ok'; token: VerifiedAccessToken } | ConnectionTokenRefusal {
  const known = remembered.get(keys) ?? new Map<string, VerifiedAccessToken>()
  const digest = hash('sha256', `${environment} ${text}`, 'base64')
  const genuine = known.get(digest)
  if (genuine) return { kind: 'ok', token: genuine }
  const parsed = parseAccessToken(text, environment, keys)
  if (parsed.kind === 'refused') return parsed
  const { locator, nonce, expiresAt } = parsed.token
  const token = {
    locatorHash: sha256(locator),
    nonce: Buffer.alloc(nonceBytes, nonce), // a copy, because the original shares its memory with the locator
    expiresAt: new Date(expiresAt * 1000),
  }
  if (known.size >= mostRemembered) known.clear()
  remembered.set(keys, known.set(digest, token))
  return { kind: 'ok', token }
}

import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import { verifyAccessToken } from '../secrets/verified-tokens.ts'

export type TokenKeys = { keys: SecretKeys; config: Pick<Config, 'environment'> }

/**
 * Whose access token a call presents that was refused before any statement, because its token has expired or its address or
 * parameters are wrong. A genuine token names its connection. Without this, its partner would not find the call in the request
 * log. Undefined: there is no genuine token. @returns SHA-256 of the locator, in hex
 */
export function locatorOfCall({ keys, config }: TokenKeys, { headers }: FastifyRequest): string | undefined {
  const token = /^bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (token === undefined) return undefined
  const parsed = verifyAccessToken(token, config.environment, keys)
  return parsed.kind === 'ok' ? parsed.token.locatorHash.toString('hex') : undefined
}

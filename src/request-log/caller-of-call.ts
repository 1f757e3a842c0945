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
export function locatorOfCall(
  { keys, config }: TokenKeys,
  { headers, body }: FastifyRequest,
): string | undefined {
  const token = /^bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? textOf(body, 'access_token')
  if (token === undefined) return undefined
  const parsed = verifyAccessToken(token, config.environment, keys)
  return parsed.kind === 'ok' ? parsed.token.locatorHash.toString('hex') : undefined
}

/** The text that a client_id can be. Those of partners that were taken over from another service have any form. */
const clientId = /^[0-9A-Za-z][0-9A-Za-z._~-]{2,99}$/

/**
 * What the caller of a refused token or authorization request calls itself. Anyone can, and the text may be a secret that was
 * sent as client_id by mistake: it is kept only if a partner has this client_id.
 */
export function claimedClientId({ headers, body, query }: FastifyRequest): string | undefined {
  const claimed = basicName(headers.authorization) ?? textOf(body, 'client_id') ?? textOf(query, 'client_id')
  return claimed !== undefined && clientId.test(claimed) ? claimed : undefined
}

function basicName(authorization = ''): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(authorization)?.[1]
  return encoded && Buffer.from(encoded, 'base64').toString().split(':', 1)[0]
}

function textOf(parameters: unknown, name: string): string | undefined {
  if (typeof parameters !== 'object' || parameters === null) return undefined
  const found = Object.entries(parameters).find(([key]) => key === name)?.[1]
  return typeof found === 'string' ? found : undefined
}

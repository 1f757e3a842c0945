import { type Origin, originValue } from '../audit/origin.ts'
import type { Config } from '../config.ts'
import type { Queries } from '../database/database.ts'
import { parseAccessToken, parseRefreshToken } from '../secrets/connection-token.ts'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import { parseToken, sha256, type TokenKind, tokenKinds, tokenLike } from '../secrets/token-format.ts'
import {
  endLeakedAccessToken,
  endLeakedCode,
  endLeakedRefreshToken,
  revokeLeakedApiKey,
  revokeLeakedDeveloperKey,
  withdrawLeakedSecret,
} from './leaked-credentials.sql.ts'

export const credentialNames = {
  at: 'access_token',
  rt: 'refresh_token',
  ac: 'authorization_code',
  cs: 'client_secret',
  ak: 'api_key',
  dk: 'developer_key',
} as const satisfies Record<TokenKind, string>
export type CredentialName = (typeof credentialNames)[TokenKind]

/** What became of one credential in the text. */
export type LeakedCredential = {
  /** Its first and last characters, for people: `lk_live_cs_…9aZk`. */
  hint: string
  credential: CredentialName
  /**
   * `revoked`: it worked until now, or would have again once its user is enabled. `not_live`: it was issued here and had ended
   * before. `unknown`: it was never issued here, or its connection was deleted long ago. `other_environment`: report it to the
   * other deployment.
   */
  state: 'revoked' | 'not_live' | 'unknown' | 'other_environment'
  clientId?: string
  userId?: string
  apiKeyId?: string
  developerKeyId?: string
  /** For a client secret: how many the partner has left. At 0, it cannot authenticate until it gets a new one. */
  liveSecrets?: number
}

export type LeakReport = {
  /** What was found: a log, a file, a list. Anything around the credentials is ignored. */
  text: string
  /** Where it was found, for the audit log: an address, for example. */
  source?: string | undefined
}

type Deployment = {
  database: Queries
  config: Pick<Config, 'environment' | 'mail'>
  keys: SecretKeys
}

/** More credentials in one text than this are not looked at: report the rest in another one. */
export const mostCredentials = 1000

const candidates = new RegExp(tokenLike, 'g')

/**
 * Finds the credentials in a text and ends each that works, at once. Those without a right checksum, and tokens that were
 * forged, end nothing. The text is neither stored nor logged.
 */
export async function reportLeak(
  deployment: Deployment,
  origin: Origin,
  { text, source }: LeakReport,
): Promise<LeakedCredential[]> {
  const found = new Set(text.match(candidates))
  const credentials: LeakedCredential[] = []
  for (const candidate of found) {
    if (credentials.length === mostCredentials) break
    const credential = await endCredential(deployment, origin, { candidate, source: source ?? null })
    if (credential) credentials.push(credential)
  }
  return credentials
}

type Candidate = { candidate: string; source: string | null }

async function endCredential(
  deployment: Deployment,
  origin: Origin,
  { candidate, source }: Candidate,
): Promise<LeakedCredential | undefined> {
  const { environment } = deployment.config
  const kind = kindOf(candidate)
  const parsed = parseToken(candidate, environment, kind)
  const about = { hint: hintOf(candidate), credential: credentialNames[kind] }
  if (parsed.kind === 'ok') {
    const ended = await endByKind(deployment, kind, candidate, [originValue(origin), source])
    return { ...about, ...(ended ?? { state: 'unknown' }) }
  }
  return parsed.reason === 'wrong_environment' ? { ...about, state: 'other_environment' } : undefined
}

type Ended = Omit<LeakedCredential, 'hint' | 'credential'>

/** @param facts the values of $2 and $3: origin and source. Undefined: this was never issued here */
async function endByKind(
  { database, config, keys }: Deployment,
  kind: TokenKind,
  text: string,
  facts: [string, string | null],
): Promise<Ended | undefined> {
  const sendsMail = config.mail !== undefined
  switch (kind) {
    case 'at': {
      const access = parseAccessToken(text, config.environment, keys)
      if (access.kind === 'refused') return undefined
      const { locator, nonce, expiresAt } = access.token
      const values = [sha256(locator), ...facts, sendsMail, nonce, new Date(expiresAt * 1000)]
      return ofConnection(await database.maybe(endLeakedAccessToken, values))
    }
    case 'rt': {
      const refresh = parseRefreshToken(text, config.environment, keys)
      if (refresh.kind === 'refused') return undefined
      const values = [sha256(refresh.token.locator), ...facts, sendsMail]
      return ofConnection(await database.maybe(endLeakedRefreshToken, values))
    }
    case 'ac':
      return ofConnection(await database.maybe(endLeakedCode, [sha256(text), ...facts, sendsMail]))
    case 'cs': {
      const row = await database.maybe(withdrawLeakedSecret, [sha256(text), ...facts])
      return row && { state: stateOf(row), clientId: row.client_id, liveSecrets: row.live_secrets }
    }
    case 'ak': {
      const row = await database.maybe(revokeLeakedApiKey, [sha256(text), ...facts])
      return row && { state: stateOf(row), apiKeyId: row.id }
    }
    case 'dk': {
      const row = await database.maybe(revokeLeakedDeveloperKey, [sha256(text), ...facts])
      return row && { state: stateOf(row), clientId: row.client_id, developerKeyId: row.id }
    }
  }
}

function ofConnection(
  row: { client_id: string; user_id: string; was_live: boolean } | undefined,
): Ended | undefined {
  return row && { state: stateOf(row), clientId: row.client_id, userId: row.user_id }
}

function stateOf({ was_live: wasLive }: { was_live: boolean }): 'revoked' | 'not_live' {
  return wasLive ? 'revoked' : 'not_live'
}

function kindOf(candidate: string): TokenKind {
  return tokenKinds.find((kind) => candidate.includes(`_${kind}_`)) ?? 'at'
}

function hintOf(candidate: string): string {
  const prefix = candidate.slice(0, candidate.lastIndexOf('_') + 1)
  return `${prefix}…${candidate.slice(-4)}`
}

/** As the CLI and the admin API show it. */
export function describeLeak({ hint, credential, state, ...about }: LeakedCredential) {
  const { clientId, userId, apiKeyId, developerKeyId, liveSecrets } = about
  return {
    ...{ hint, credential, state },
    ...(clientId !== undefined && { client_id: clientId }),
    ...(userId !== undefined && { user_id: userId }),
    ...(apiKeyId !== undefined && { api_key_id: apiKeyId }),
    ...(developerKeyId !== undefined && { developer_key_id: developerKeyId }),
    ...(liveSecrets !== undefined && { live_secrets: liveSecrets }),
  }
}

import { acrFaults } from '../acr.ts'
import { type Origin, originValue } from '../audit/origin.ts'
import type { Environment } from '../config.ts'
import type { Database } from '../database/database.ts'
import { SigningAlgorithm } from '../keys/signing-keys.ts'
import type { LimitSettings } from '../limit-settings.ts'
import { newToken } from '../secrets/token-format.ts'
import { Compile } from '../typebox.ts'
import { takesSecret } from './auth-methods.ts'
import { newClientId } from './client-id.ts'
import { jwksText, noKeys, readJwks } from './jwks.ts'
import { addressFaults, methodFaults, nameFaults } from './partner-faults.ts'
import {
  findPartner,
  insertPartner,
  type Partner,
  replaceKeys,
  resumePartner,
  rotateSecret,
  suspendPartner,
} from './partners.sql.ts'
import { type ProfileChanges, readProfile } from './profile.ts'
import { secretDigest, type TakenOver, takeOverFaults } from './taken-over.ts'

export type NewPartner = ProfileChanges & {
  /** For a partner of another service. Default: a new client_id. */
  takenOver?: TakenOver | undefined
  name: string
  redirectUris: string[]
  requirePkce: boolean
  /** Default: a secret, in the Authorization header or in the body. */
  authMethods?: string[] | undefined
  /** The public keys for private_key_jwt: JSON text of a JWK Set, or of one JWK. */
  jwks?: string | undefined
  /** Default: RS256. */
  idTokenAlg?: string | undefined
  /** Whether a refresh also returns an id_token. Default: only if the request says token_type=id. */
  idTokenOnRefresh?: boolean | undefined
  postLogoutRedirectUris?: string[] | undefined
  limits?: LimitSettings | undefined
  /** Days for which a user's consent is valid. Default: that of the deployment. */
  grantLifetimeDays?: number | undefined
  /** The weakest `acr` with which users may connect. Default: any. */
  requireAcr?: string | undefined
  /** The partner has no secret until its developers make one, so that no operator sees it. Default: it gets one. */
  withoutSecret?: boolean | undefined
  /** The request to go live that registers it, for the audit log. */
  request?: Record<string, string> | undefined
}

type Refused = { kind: 'refused'; faults: string[] }

/** Only the digest of the secret is stored, so this is the only copy. A partner that signs assertions has no secret. */
export type Registration =
  | { kind: 'created'; clientId: string; clientSecret: string | undefined }
  /** `isTaken`: another partner has the client_id. */
  | (Refused & { isTaken?: true })

export type SecretRotation =
  | { kind: 'rotated'; clientId: string; clientSecret: string; liveSecrets: number }
  | { kind: 'unknown' }
  | { kind: 'without_secret' }

export type KeyReplacement = { kind: 'replaced'; partner: Partner } | { kind: 'unknown' } | Refused

const signingAlgorithm = Compile(SigningAlgorithm)

/** Registers a partner, or returns all faults and registers nothing. */
export async function createPartner(
  database: Database,
  origin: Origin,
  environment: Environment,
  input: NewPartner,
): Promise<Registration> {
  const authMethods = input.authMethods ?? ['client_secret_basic', 'client_secret_post']
  const idTokenAlg = input.idTokenAlg ?? 'RS256'
  const keys = input.jwks === undefined ? noKeys : await readJwks(input.jwks)
  const profile = readProfile(input)
  const faults = [
    ...nameFaults(input.name.trim()),
    ...(input.takenOver ? takeOverFaults(input.takenOver, environment, authMethods) : []),
    ...addressFaults(input),
    ...profile.faults,
    ...methodFaults(authMethods, input.jwks !== undefined),
    ...(keys.kind === 'refused' ? keys.faults : []),
    ...acrFaults(input.requireAcr),
    ...(signingAlgorithm.Check(idTokenAlg) ? [] : ['The algorithm of id_tokens must be RS256 or ES256.']),
  ]
  if (faults.length > 0 || keys.kind === 'refused') return { kind: 'refused', faults }
  const hasSecret = takesSecret(authMethods) && !input.withoutSecret
  const { clientId, hash, text } = newCredentials(environment, input.takenOver, hasSecret)
  const created = await database.maybe(insertPartner, [
    clientId,
    input.name.trim(),
    [...new Set(input.redirectUris)],
    input.requirePkce,
    [...new Set(authMethods)],
    hash ? [hash] : [],
    jwksText(keys),
    keys.thumbprints,
    idTokenAlg,
    [...new Set(input.postLogoutRedirectUris ?? [])],
    input.idTokenOnRefresh ?? false,
    JSON.stringify(input.limits ?? {}),
    input.grantLifetimeDays ?? null,
    ...profile.columns,
    input.requireAcr ?? null,
    originValue(origin),
    input.request ? JSON.stringify(input.request) : null,
  ])
  if (created) return { kind: 'created', clientId, clientSecret: text }
  return { kind: 'refused', faults: [`There is a partner ${clientId} already.`], isTaken: true }
}

/** `text` is a new secret. A partner that keeps its secret has none. */
function newCredentials(
  environment: Environment,
  takenOver: TakenOver | undefined,
  hasSecret: boolean,
): { clientId: string; hash?: Buffer | undefined; text?: string } {
  const clientId = takenOver?.clientId ?? newClientId(environment)
  if (!hasSecret) return { clientId }
  if (takenOver?.secretHash !== undefined) return { clientId, hash: secretDigest(takenOver.secretHash) }
  return { clientId, ...newToken(environment, 'cs') }
}

/** Afterwards two secrets are live, or with `endOthers` only the new one. */
export async function rotatePartnerSecret(
  database: Database,
  origin: Origin,
  environment: Environment,
  clientId: string,
  endOthers: boolean,
): Promise<SecretRotation> {
  const partner = await database.maybe(findPartner, [clientId])
  if (!partner) return { kind: 'unknown' }
  if (!takesSecret(partner.auth_methods)) return { kind: 'without_secret' }
  const secret = newToken(environment, 'cs')
  const values = [clientId, secret.hash, endOthers ? 0 : 1, originValue(origin)]
  const row = await database.maybe(rotateSecret, values)
  if (!row) return { kind: 'unknown' } // deleted in the meantime
  return { kind: 'rotated', clientId, clientSecret: secret.text, liveSecrets: row.live_secrets }
}

/** Replaces all keys. From the next request, every server accepts only the new keys. */
export async function replacePartnerKeys(
  database: Database,
  origin: Origin,
  clientId: string,
  jwks: string,
): Promise<KeyReplacement> {
  const partner = await database.maybe(findPartner, [clientId])
  if (!partner) return { kind: 'unknown' }
  const keys = await readJwks(jwks)
  const faults = [
    ...methodFaults(partner.auth_methods, true),
    ...(keys.kind === 'refused' ? keys.faults : []),
  ]
  if (faults.length > 0 || keys.kind === 'refused') return { kind: 'refused', faults }
  const values = [clientId, jwksText(keys), keys.thumbprints, originValue(origin)]
  const replaced = await database.maybe(replaceKeys, values)
  return replaced ? { kind: 'replaced', partner: replaced } : { kind: 'unknown' }
}

/** From the next request on, all requests of a suspended partner are refused. Undefined: no such partner. */
export function setPartnerStatus(
  database: Database,
  origin: Origin,
  clientId: string,
  status: Partner['status'],
): Promise<Partner | undefined> {
  const change = status === 'suspended' ? suspendPartner : resumePartner
  return database.maybe(change, [clientId, originValue(origin)])
}

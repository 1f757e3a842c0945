import { acrFaults } from '../acr.ts'
import { isOfPartner, type Origin, originValue } from '../audit/origin.ts'
import type { Environment } from '../config.ts'
import type { Database } from '../database/database.ts'
import { SigningAlgorithm } from '../keys/signing-keys.ts'
import type { LimitChanges, LimitSettings } from '../limit-settings.ts'
import { newToken } from '../secrets/token-format.ts'
import { Compile } from '../typebox.ts'
import { newClientId } from './client-id.ts'
import { type RegisteredKeys, readJwks } from './jwks.ts'
import { addressFaults, methodFaults, nameFaults } from './partner-faults.ts'
import {
  findPartner,
  insertPartner,
  type Partner,
  replaceKeys,
  resumePartner,
  rotateSecret,
  suspendPartner,
  updatePartnerSettings,
} from './partners.sql.ts'
import { productionUriFaults } from './production-uri.ts'
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

/** Undefined: the setting is not changed. */
export type PartnerChanges = ProfileChanges & {
  name?: string | undefined
  redirectUris?: string[] | undefined
  requirePkce?: boolean | undefined
  postLogoutRedirectUris?: string[] | undefined
  authMethods?: string[] | undefined
  /** The public keys, if the new authentication methods include private_key_jwt. */
  jwks?: string | undefined
  idTokenOnRefresh?: boolean | undefined
  /** Null: the default of the deployment. */
  limits?: LimitChanges | undefined
  /** Null: the default of the deployment. */
  grantLifetimeDays?: number | null | undefined
  /** Null: none. */
  requireAcr?: string | null | undefined
}

type Refused = { kind: 'refused'; faults: string[] }

/** Only the digest of the secret is stored, so this is the only copy. A partner that signs assertions has no secret. */
export type Registration =
  | { kind: 'created'; clientId: string; clientSecret: string | undefined }
  /** `isTaken`: another partner has the client_id. */
  | (Refused & { isTaken?: true })

/** `clientSecret` is set if the partner had no secret and its new authentication methods need one. It is the only copy. */
export type PartnerUpdate =
  | { kind: 'updated'; partner: Partner; clientSecret: string | undefined }
  | { kind: 'unknown' }
  /** Another operator changed the authentication methods at the same time. */
  | { kind: 'conflict' }
  | Refused

export type SecretRotation =
  | { kind: 'rotated'; clientId: string; clientSecret: string; liveSecrets: number }
  | { kind: 'unknown' }
  | { kind: 'without_secret' }

export type KeyReplacement = { kind: 'replaced'; partner: Partner } | { kind: 'unknown' } | Refused

const signingAlgorithm = Compile(SigningAlgorithm)
const noKeys: RegisteredKeys & { kind: 'read' } = { kind: 'read', keys: [], thumbprints: [] }

/** Registers a partner, or returns all faults and registers nothing. */
export async function createPartner(
  database: Database,
  origin: Origin,
  environment: Environment,
  input: NewPartner,
): Promise<Registration> {
  const name = input.name.trim()
  const authMethods = input.authMethods ?? ['client_secret_basic', 'client_secret_post']
  const idTokenAlg = input.idTokenAlg ?? 'RS256'
  const postLogoutRedirectUris = input.postLogoutRedirectUris ?? []
  const keys = input.jwks === undefined ? noKeys : await readJwks(input.jwks)
  const profile = readProfile(input)
  const faults = [
    ...nameFaults(name),
    ...(input.takenOver ? takeOverFaults(input.takenOver, environment) : []),
    ...(input.takenOver?.secretHash !== undefined && !takesSecret(authMethods)
      ? ['A partner that authenticates with private_key_jwt has no secret, so there is no hash of one.']
      : []),
    ...addressFaults({ redirectUris: input.redirectUris, postLogoutRedirectUris }),
    ...profile.faults,
    ...methodFaults(authMethods, input.jwks !== undefined),
    ...(keys.kind === 'refused' ? keys.faults : []),
    ...acrFaults(input.requireAcr),
    ...(signingAlgorithm.Check(idTokenAlg) ? [] : ['The algorithm of id_tokens must be RS256 or ES256.']),
  ]
  if (faults.length > 0 || keys.kind === 'refused') return { kind: 'refused', faults }
  const { clientId, hash, text } = newCredentials(
    environment,
    input.takenOver,
    takesSecret(authMethods) && !input.withoutSecret,
  )
  const created = await database.maybe(insertPartner, [
    clientId,
    name,
    unique(input.redirectUris),
    input.requirePkce,
    unique(authMethods),
    hash ? [hash] : [],
    jwksOf(keys),
    keys.thumbprints,
    idTokenAlg,
    unique(postLogoutRedirectUris),
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

/** Of a partner's own changes in production. It keeps what the operator has registered. */
function newAddressFaults(partner: Partner, changes: PartnerChanges): string[] {
  const { redirectUris, postLogoutRedirectUris } = changes
  const added = (uris: string[] = [], registered: string[]) => uris.filter((uri) => !registered.includes(uri))
  const faults = [
    ...addressFaults(changes),
    ...productionUriFaults('Redirect URI', added(redirectUris, partner.redirect_uris)),
    ...productionUriFaults(
      'Post-logout redirect URI',
      added(postLogoutRedirectUris, partner.post_logout_redirect_uris),
    ),
  ]
  return [...new Set(faults)]
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

/**
 * Changes the given settings, or returns all faults and changes nothing. If the new authentication methods need no secret,
 * the partner's secrets are deleted. If they need no keys, its keys are deleted. Both apply from the next request.
 */
export async function updatePartner(
  database: Database,
  origin: Origin,
  environment: Environment,
  clientId: string,
  changes: PartnerChanges,
): Promise<PartnerUpdate> {
  const partner = await database.maybe(findPartner, [clientId])
  if (!partner) return { kind: 'unknown' }
  const { name, redirectUris, postLogoutRedirectUris, authMethods } = changes
  const keys = changes.jwks === undefined ? noKeys : await readJwks(changes.jwks)
  const profile = readProfile(changes)
  const faults = [
    ...(Object.values(changes).every((value) => value === undefined) ? ['There is nothing to change.'] : []),
    ...(name === undefined ? [] : nameFaults(name.trim())),
    ...(environment === 'production' && isOfPartner(origin)
      ? newAddressFaults(partner, changes)
      : addressFaults(changes)),
    ...profile.faults,
    ...acrFaults(changes.requireAcr),
    ...newMethodFaults(partner, changes),
    ...(keys.kind === 'refused' ? keys.faults : []),
  ]
  if (faults.length > 0 || keys.kind === 'refused') return { kind: 'refused', faults }
  const credentials = authMethods && changedCredentials(environment, partner, authMethods, keys)
  const updated = await database.maybe(updatePartnerSettings, [
    clientId,
    name?.trim() ?? null,
    redirectUris ? unique(redirectUris) : null,
    partner.auth_methods,
    authMethods ? unique(authMethods) : null,
    credentials?.secretHashes ?? null,
    credentials?.jwks ?? null,
    credentials?.thumbprints ?? null,
    changes.idTokenOnRefresh ?? null,
    changes.limits ? JSON.stringify(changes.limits) : null,
    changes.grantLifetimeDays === null ? 0 : (changes.grantLifetimeDays ?? null),
    ...profile.columns,
    changes.requireAcr === null ? '' : (changes.requireAcr ?? null),
    changes.requirePkce ?? null,
    postLogoutRedirectUris ? unique(postLogoutRedirectUris) : null,
    originValue(origin),
  ])
  if (!updated) return { kind: 'conflict' }
  return { kind: 'updated', partner: updated, clientSecret: credentials?.clientSecret }
}

function newMethodFaults(partner: Partner, { authMethods, jwks }: PartnerChanges): string[] {
  if (!authMethods)
    return jwks === undefined
      ? []
      : ['A JWKS needs new authentication methods. To replace only the keys, use `partner set-keys`.']
  const keeps = authMethods.includes('private_key_jwt') && partner.key_ids.length > 0
  return methodFaults(authMethods, jwks !== undefined || keeps)
}

/** The secrets and keys for new authentication methods. Undefined: not changed. */
function changedCredentials(
  environment: Environment,
  partner: Partner,
  authMethods: string[],
  keys: RegisteredKeys & { kind: 'read' },
) {
  const secret =
    takesSecret(authMethods) && !takesSecret(partner.auth_methods) ? newToken(environment, 'cs') : undefined
  const noSecrets = takesSecret(authMethods) ? undefined : []
  const newKeys = keys.keys.length > 0 || !authMethods.includes('private_key_jwt')
  return {
    clientSecret: secret?.text,
    secretHashes: secret ? [secret.hash] : noSecrets,
    jwks: newKeys ? (jwksOf(keys) ?? '') : undefined,
    thumbprints: newKeys ? keys.thumbprints : undefined,
  }
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
  const values = [clientId, jwksOf(keys), keys.thumbprints, originValue(origin)]
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

function takesSecret(authMethods: string[]): boolean {
  return authMethods.some((method) => method !== 'private_key_jwt')
}

function jwksOf({ keys }: RegisteredKeys & { kind: 'read' }): string | null {
  return keys.length > 0 ? JSON.stringify({ keys }) : null
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)]
}

import { acrFaults } from '../acr.ts'
import { isOfPartner, type Origin, originValue } from '../audit/origin.ts'
import type { Environment } from '../config.ts'
import type { Database } from '../database/database.ts'
import type { LimitChanges } from '../limit-settings.ts'
import { newToken } from '../secrets/token-format.ts'
import { takesSecret } from './auth-methods.ts'
import { jwksText, noKeys, type ReadKeys, readJwks } from './jwks.ts'
import { addressFaults, methodFaults, nameFaults } from './partner-faults.ts'
import { findPartner, type Partner, updatePartnerSettings } from './partners.sql.ts'
import { productionUriFaults } from './production-uri.ts'
import { type ProfileChanges, readProfile } from './profile.ts'

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

/** `clientSecret` is set if the partner had no secret and its new authentication methods need one. It is the only copy. */
export type PartnerUpdate =
  | { kind: 'updated'; partner: Partner; clientSecret: string | undefined }
  | { kind: 'unknown' }
  /** Another operator changed the authentication methods at the same time. */
  | { kind: 'conflict' }
  | { kind: 'refused'; faults: string[] }

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
    redirectUris ? [...new Set(redirectUris)] : null,
    partner.auth_methods,
    authMethods ? [...new Set(authMethods)] : null,
    credentials?.secretHashes ?? null,
    credentials?.jwks ?? null,
    credentials?.thumbprints ?? null,
    changes.idTokenOnRefresh ?? null,
    changes.limits ? JSON.stringify(changes.limits) : null,
    changes.grantLifetimeDays === null ? 0 : (changes.grantLifetimeDays ?? null),
    ...profile.columns,
    changes.requireAcr === null ? '' : (changes.requireAcr ?? null),
    changes.requirePkce ?? null,
    postLogoutRedirectUris ? [...new Set(postLogoutRedirectUris)] : null,
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
  keys: ReadKeys,
) {
  const secret =
    takesSecret(authMethods) && !takesSecret(partner.auth_methods) ? newToken(environment, 'cs') : undefined
  const noSecrets = takesSecret(authMethods) ? undefined : []
  const newKeys = keys.keys.length > 0 || !authMethods.includes('private_key_jwt')
  return {
    clientSecret: secret?.text,
    secretHashes: secret ? [secret.hash] : noSecrets,
    jwks: newKeys ? (jwksText(keys) ?? '') : undefined,
    thumbprints: newKeys ? keys.thumbprints : undefined,
  }
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

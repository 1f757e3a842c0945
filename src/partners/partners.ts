import { Compile } from 'typebox/compile'
import type { Environment } from '../config.ts'
import type { Database } from '../database/database.ts'
import { checkVisible } from '../directory/values.ts'
import { SigningAlgorithm } from '../keys/signing-keys.ts'
import { newToken } from '../secrets/token-format.ts'
import { newClientId } from './client-id.ts'
import { type RegisteredKeys, readJwks } from './jwks.ts'
import {
  AuthMethod,
  findPartner,
  insertPartner,
  type Partner,
  replaceKeys,
  rotateSecret,
  updatePartnerSettings,
} from './partners.sql.ts'
import { redirectUriFault } from './redirect-uri.ts'

export type NewPartner = {
  name: string
  redirectUris: string[]
  requirePkce: boolean
  /** By default the secret, in either way. */
  authMethods?: string[] | undefined
  /** The public keys for private_key_jwt: JSON text of a JWK Set, or of one JWK. */
  jwks?: string | undefined
  /** By default RS256. */
  idTokenAlg?: string | undefined
  postLogoutRedirectUris?: string[] | undefined
  /** Of the partner's public web site. */
  site?: string | undefined
}

/** What is undefined stays as it is. */
export type PartnerChanges = {
  name?: string | undefined
  redirectUris?: string[] | undefined
  /** Null: none. */
  site?: string | null | undefined
  authMethods?: string[] | undefined
  /** The public keys, for a partner that is to authenticate by private_key_jwt. */
  jwks?: string | undefined
}

type Refused = { kind: 'refused'; faults: string[] }

/** The secret is in this answer and nowhere else: only its digest is stored. None for a partner that signs assertions. */
export type Registration = { kind: 'created'; clientId: string; clientSecret: string | undefined } | Refused

/** A secret where the partner had none and its new authentication methods need one: it is in this answer alone. */
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

const authMethod = Compile(AuthMethod)
const signingAlgorithm = Compile(SigningAlgorithm)
const noKeys: RegisteredKeys & { kind: 'read' } = { kind: 'read', keys: [], thumbprints: [] }

/** Registers a partner, or names every fault at once and registers nothing. */
export async function createPartner(
  database: Database,
  environment: Environment,
  input: NewPartner,
): Promise<Registration> {
  const name = input.name.trim()
  const authMethods = input.authMethods ?? ['client_secret_basic', 'client_secret_post']
  const idTokenAlg = input.idTokenAlg ?? 'RS256'
  const postLogoutRedirectUris = input.postLogoutRedirectUris ?? []
  const keys = input.jwks === undefined ? noKeys : await readJwks(input.jwks)
  const faults = [
    ...nameFaults(name),
    ...(input.redirectUris.length === 0 ? ['there must be a redirect URI'] : []),
    ...uriFaults('redirect URI', input.redirectUris),
    ...uriFaults('post-logout redirect URI', postLogoutRedirectUris),
    ...(input.site === undefined ? [] : uriFaults('site', [input.site])),
    ...methodFaults(authMethods, input.jwks !== undefined),
    ...(keys.kind === 'refused' ? keys.faults : []),
    ...(signingAlgorithm.Check(idTokenAlg) ? [] : ['the algorithm of id_tokens must be RS256 or ES256']),
  ]
  if (faults.length > 0 || keys.kind === 'refused') return { kind: 'refused', faults }
  const clientId = newClientId(environment)
  const secret = takesSecret(authMethods) ? newToken(environment, 'cs') : undefined
  await database.one(insertPartner, [
    clientId,
    name,
    unique(input.redirectUris),
    input.requirePkce,
    unique(authMethods),
    secret ? [secret.hash] : [],
    jwksOf(keys),
    keys.thumbprints,
    idTokenAlg,
    unique(postLogoutRedirectUris),
    input.site ?? null,
  ])
  return { kind: 'created', clientId, clientSecret: secret?.text }
}

/**
 * Changes what is named, or names every fault at once and changes nothing. A partner whose new authentication methods
 * need no secret loses its secrets, one whose methods need no keys its keys, from the next request on.
 */
export async function updatePartner(
  database: Database,
  environment: Environment,
  clientId: string,
  changes: PartnerChanges,
): Promise<PartnerUpdate> {
  const partner = await database.maybe(findPartner, [clientId])
  if (!partner) return { kind: 'unknown' }
  const { name, redirectUris, site, authMethods } = changes
  const keys = changes.jwks === undefined ? noKeys : await readJwks(changes.jwks)
  const faults = [
    ...(Object.values(changes).every((value) => value === undefined) ? ['there is nothing to change'] : []),
    ...(name === undefined ? [] : nameFaults(name.trim())),
    ...uriFaults('redirect URI', redirectUris ?? []),
    ...(typeof site === 'string' ? uriFaults('site', [site]) : []),
    ...newMethodFaults(partner, changes),
    ...(keys.kind === 'refused' ? keys.faults : []),
  ]
  if (faults.length > 0 || keys.kind === 'refused') return { kind: 'refused', faults }
  const credentials = authMethods && changedCredentials(environment, partner, authMethods, keys)
  const updated = await database.maybe(updatePartnerSettings, [
    clientId,
    name?.trim() ?? null,
    redirectUris ? unique(redirectUris) : null,
    site === null ? '' : (site ?? null),
    partner.auth_methods,
    authMethods ? unique(authMethods) : null,
    credentials?.secretHashes ?? null,
    credentials?.jwks ?? null,
    credentials?.thumbprints ?? null,
  ])
  if (!updated) return { kind: 'conflict' }
  return { kind: 'updated', partner: updated, clientSecret: credentials?.clientSecret }
}

function newMethodFaults(partner: Partner, { authMethods, jwks }: PartnerChanges): string[] {
  if (!authMethods)
    return jwks === undefined
      ? []
      : ['a JWKS goes with new authentication methods; `partner set-keys` replaces keys alone']
  const keeps = authMethods.includes('private_key_jwt') && partner.key_ids.length > 0
  return methodFaults(authMethods, jwks !== undefined || keeps)
}

/** What the change of methods does to secrets and keys; what is undefined stays. */
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

/** Two secrets are live afterwards, or with `endOthers` the new one alone. */
export async function rotatePartnerSecret(
  database: Database,
  environment: Environment,
  clientId: string,
  endOthers: boolean,
): Promise<SecretRotation> {
  const partner = await database.maybe(findPartner, [clientId])
  if (!partner) return { kind: 'unknown' }
  if (!takesSecret(partner.auth_methods)) return { kind: 'without_secret' }
  const secret = newToken(environment, 'cs')
  const row = await database.one(rotateSecret, [clientId, secret.hash, endOthers ? 0 : 1])
  return { kind: 'rotated', clientId, clientSecret: secret.text, liveSecrets: row.live_secrets }
}

/** The keys that count from the next request on, on every server; those before do not any more. */
export async function replacePartnerKeys(
  database: Database,
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
  const replaced = await database.one(replaceKeys, [clientId, jwksOf(keys), keys.thumbprints])
  return { kind: 'replaced', partner: replaced }
}

function takesSecret(authMethods: string[]): boolean {
  return authMethods.some((method) => method !== 'private_key_jwt')
}

function jwksOf({ keys }: RegisteredKeys & { kind: 'read' }): string | null {
  return keys.length > 0 ? JSON.stringify({ keys }) : null
}

function nameFaults(name: string): string[] {
  if (!/^[^\p{Cc}]{1,100}$/u.test(name)) {
    return ['the name must be 1 to 100 characters, without control characters']
  }
  const fault = checkVisible(name)
  return fault ? [`the name ${fault}`] : []
}

function uriFaults(what: string, uris: string[]): string[] {
  return uris.flatMap((uri) => {
    const fault = redirectUriFault(uri)
    return fault ? `${what} ${JSON.stringify(uri)} ${fault}` : []
  })
}

function methodFaults(authMethods: string[], hasKeys: boolean): string[] {
  const unknown = authMethods.filter((method) => !authMethod.Check(method))
  const signs = authMethods.includes('private_key_jwt')
  return [
    ...unknown.map((method) => `there is no authentication method ${JSON.stringify(method)}`),
    ...(authMethods.length === 0 ? ['there must be an authentication method'] : []),
    ...(signs && !hasKeys ? ['private_key_jwt needs a JWKS with the public keys of the partner'] : []),
    ...(hasKeys && !signs ? ['a JWKS is for partners that authenticate by private_key_jwt'] : []),
  ]
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)]
}

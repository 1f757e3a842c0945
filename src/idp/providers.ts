import { type Origin, originValue } from '../audit/origin.ts'
import type { Database } from '../database/database.ts'
import { foldCase } from '../directory/case-folding.ts'
import { checkName } from '../directory/values.ts'
import type { SigningAlgorithm } from '../keys/signing-keys.ts'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import { quoted } from '../visible-text.ts'
import { isLoopback } from './bounded-fetch.ts'
import { clientSecret, newClientKey, type StoredCredential } from './credential.ts'
import { linkByOperator, unlinkByOperator } from './identities.sql.ts'
import {
  deleteProvider,
  findProvider,
  insertProvider,
  type ProviderAuthMethod,
  replaceCredential,
} from './providers.sql.ts'

export type NewProvider = {
  id: string
  name: string
  issuer: string
  clientId: string
  authMethod: ProviderAuthMethod
  /** Of `client_secret_*`. */
  secret?: string
  /** Of the key for `private_key_jwt`. */
  algorithm: SigningAlgorithm
  claim: string
  matches: 'email' | 'id'
  domains: string[]
  firms: string[]
  creates: { firm: string; role: string } | undefined
  scope: string
  acrValues: string | undefined
}

/** The texts are messages for the operator. */
export type NotChanged = { kind: 'refused'; reasons: string[] } | { kind: 'not_found'; reason: string }

type Changed = { kind: 'done' } | NotChanged

/** Stores a provider. Users see it at once. */
export async function addProvider(
  database: Database,
  origin: Origin,
  keys: SecretKeys,
  provider: NewProvider,
): Promise<Changed> {
  const faults = faultsOf(provider)
  if (faults.length > 0) return { kind: 'refused', reasons: faults }
  const { sealed, publicJwk } = await credentialOf(keys, provider)
  const { creates } = provider
  const row = await database.one(insertProvider, [
    ...[
      provider.id,
      provider.name,
      provider.issuer,
      provider.clientId,
      provider.authMethod,
      sealed,
      publicJwk,
    ],
    ...[provider.claim, provider.matches, provider.firms, creates?.firm ?? null, creates?.role ?? null],
    ...[provider.scope, provider.acrValues ?? null, provider.domains.map(foldCase)],
    originValue(origin),
  ])
  if (row.created) return { kind: 'done' }
  const reasons = [
    row.id_taken ? `the provider ${quoted(provider.id)} already exists` : [],
    row.issuer_of !== null && !row.id_taken
      ? `the provider ${quoted(row.issuer_of)} has this issuer already`
      : [],
    row.taken_domains.map((domain) => `the domain ${quoted(domain)} belongs to another provider`),
    row.unknown_firms.map((firm) => `there is no firm ${quoted(firm)}`),
    row.role_exists ? [] : `there is no role ${quoted(creates?.role ?? '')}`,
  ].flat()
  return { kind: 'refused', reasons: reasons.length > 0 ? reasons : ['another command has just added it'] }
}

/** Stores a new client secret, or makes a new key for `private_key_jwt`. Takes effect with the next login. */
export async function setCredential(
  database: Database,
  origin: Origin,
  keys: SecretKeys,
  id: string,
  secret: (method: ProviderAuthMethod) => Promise<string | undefined>,
): Promise<Changed> {
  const provider = await database.maybe(findProvider, [id])
  if (!provider) return notFound(id)
  const { auth_method: authMethod, public_jwk: jwk } = provider
  const given = await secret(authMethod)
  if (authMethod !== 'private_key_jwt' && !given)
    return { kind: 'refused', reasons: ['client secret: is empty'] }
  const algorithm = jwk?.alg ?? 'ES256'
  const { sealed, publicJwk } = await credentialOf(keys, {
    authMethod,
    algorithm,
    ...(given && { secret: given }),
  })
  await database.maybe(replaceCredential, [id, sealed, publicJwk, originValue(origin)])
  return { kind: 'done' }
}

type Removed = {
  kind: 'done'
  linkedUsers: number
  liveSessions: number
  usersWithoutPassword: number
}

/** Removes the provider and its links to users, and ends the sessions that it opened. Users and connections stay. */
export async function removeProvider(
  database: Database,
  origin: Origin,
  id: string,
): Promise<Removed | NotChanged> {
  const row = await database.maybe(deleteProvider, [id, originValue(origin)])
  if (!row) return notFound(id)
  return {
    kind: 'done',
    linkedUsers: row.linked_users,
    liveSessions: row.live_sessions,
    usersWithoutPassword: row.users_without_password,
  }
}

/** Links an account at the provider to a user, for providers whose claims do not name the user. */
export async function linkUser(
  database: Database,
  origin: Origin,
  { id, sub, user }: { id: string; sub: string; user: string },
): Promise<{ kind: 'done'; userId: string } | NotChanged> {
  if (sub === '' || sub.length > 255)
    return { kind: 'refused', reasons: ['the subject must have 1 to 255 characters'] }
  const row = await database.one(linkByOperator, [id, sub, foldedUnlessId(user), originValue(origin)])
  if (!row.provider_exists) return notFound(id)
  if (row.user_id === null) return { kind: 'not_found', reason: `There is no user ${quoted(user)}.` }
  if (row.linked) return { kind: 'done', userId: row.user_id }
  return {
    kind: 'refused',
    reasons: ['the user is linked to an account of this provider, or the account to a user; unlink first'],
  }
}

/** The next login through the provider links the user again, by the claim. */
export async function unlinkUser(
  database: Database,
  origin: Origin,
  { id, user }: { id: string; user: string },
): Promise<{ kind: 'done'; userId: string; sub: string; sessionsEnded: number } | NotChanged> {
  const row = await database.maybe(unlinkByOperator, [id, foldedUnlessId(user), originValue(origin)])
  if (!row)
    return { kind: 'not_found', reason: `${quoted(user)} is not linked to an account of ${quoted(id)}.` }
  return { kind: 'done', userId: row.user_id, sub: row.sub, sessionsEnded: row.sessions_ended }
}

async function credentialOf(
  keys: SecretKeys,
  { authMethod, algorithm, secret }: Pick<NewProvider, 'authMethod' | 'algorithm' | 'secret'>,
): Promise<StoredCredential> {
  if (authMethod === 'private_key_jwt') return newClientKey(keys, algorithm)
  if (!secret) throw new Error('the client secret is missing')
  return clientSecret(keys, secret)
}

export function notFound(id: string): NotChanged {
  return { kind: 'not_found', reason: `There is no identity provider ${quoted(id)}.` }
}

/** Ids are case-sensitive, addresses are not. */
function foldedUnlessId(idOrEmail: string): string {
  return idOrEmail.includes('@') ? foldCase(idOrEmail) : idOrEmail
}

function faultsOf(provider: NewProvider): string[] {
  const { id, name, clientId, domains, scope, matches, claim } = provider
  const nameFault = name.trim() === '' ? 'is empty' : checkName(name)
  return [
    /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(id)
      ? []
      : `id: ${quoted(id)} is not 1 to 40 characters of a-z, 0-9 and -, because it is part of addresses`,
    nameFault === null ? [] : `name: ${nameFault}`,
    issuerFault(provider.issuer),
    clientId === '' ? 'client id: is empty' : [],
    provider.authMethod !== 'private_key_jwt' && !provider.secret ? 'client secret: is empty' : [],
    domains
      .filter((domain) => !/^[^\s@.]+(\.[^\s@.]+)+$/.test(domain))
      .map((domain) => `domain: ${quoted(domain)} is not a domain such as example.com`),
    scope.split(' ').includes('openid') ? [] : 'scope: must contain openid',
    claim === 'email' && matches === 'id' ? 'matches: an email address is never the id of a user' : [],
  ].flat()
}

/** OpenID Connect Discovery section 3: an https address without query and fragment. */
function issuerFault(issuer: string): string[] {
  if (!URL.canParse(issuer)) return [`issuer: ${quoted(issuer)} is not a URL`]
  const { protocol, hostname, search, hash, username } = new URL(issuer)
  const isAllowed = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  if (!isAllowed) return ['issuer: must be https; http is for localhost only']
  return search || hash || username || issuer.includes('/.well-known/')
    ? [
        'issuer: must be the address in the field "issuer" of the metadata, without /.well-known/, query or fragment',
      ]
    : []
}

import { phishingResistantAcr, twoFactorAcr } from '../acr.ts'
import { parseLifetimeDays } from '../grants/lifetime-days.ts'
import { type LimitChanges, type LimitSettings, limitNames, parseLimit } from '../limit-settings.ts'
import { formText, numberOrNull, textOrNull } from '../panel/fields.ts'
import { linesOf } from '../panel/forms.tsx'
import { limitLabels } from '../panel/limit-labels.ts'
import { filled } from '../panel/paging.ts'
import type { ListedPartner } from '../partners/partners.sql.ts'
import type { NewPartner } from '../partners/partners.ts'
import type { TakenOver } from '../partners/taken-over.ts'
import type { PartnerChanges } from '../partners/update-partner.ts'
import Type, { type Static } from '../typebox.ts'

export const PartnerFields = Type.Object({
  name: formText(),
  redirect_uris: formText(20_000),
  client_id: formText(200),
  secret_hash: formText(200),
  authentication: formText(40),
  jwks: formText(60_000),
  require_pkce: formText(10),
  id_token_on_refresh: formText(10),
  post_logout_redirect_uris: formText(20_000),
  site: formText(),
  privacy_url: formText(),
  description: formText(),
  grant_lifetime_days: formText(10),
  require_acr: formText(100),
  requests_per_minute: formText(10),
  requests_per_user_per_minute: formText(10),
  token_requests_per_minute: formText(10),
  refreshes_per_connection_per_minute: formText(10),
  expensive_reads: formText(10),
})
export type PartnerFields = Static<typeof PartnerFields>

export const acrChoices = {
  '': 'Any login',
  [twoFactorAcr]: 'Two factors',
  [phishingResistantAcr]: 'Resistant to phishing (a passkey)',
}

/** What the form says about a new partner. The use case checks the rest. */
export function newPartnerOf(fields: PartnerFields): { partner: NewPartner; faults: string[] } {
  const { name = '', redirect_uris: uris = '', authentication, jwks } = fields
  const faults: string[] = []
  const { limits, ...shared } = sharedOf(fields, faults)
  const signs = authentication === 'private_key_jwt'
  return {
    faults,
    partner: {
      ...shared,
      name,
      redirectUris: linesOf(uris),
      requirePkce: fields.require_pkce === 'true',
      ...(signs && { authMethods: ['private_key_jwt'], jwks: jwks ?? '' }),
      takenOver: takenOverOf(fields, faults),
      postLogoutRedirectUris: linesOf(fields.post_logout_redirect_uris ?? ''),
      idTokenOnRefresh: fields.id_token_on_refresh === 'true',
      grantLifetimeDays: shared.grantLifetimeDays ?? undefined,
      requireAcr: shared.requireAcr ?? undefined,
      limits: setLimits(limits),
    },
  }
}

function takenOverOf(fields: PartnerFields, faults: string[]): TakenOver | undefined {
  const [clientId, secretHash] = [filled(fields.client_id), filled(fields.secret_hash)]
  if (clientId !== undefined) return { clientId, secretHash }
  if (secretHash !== undefined)
    faults.push('The hash of a secret is only for a partner that keeps its client id.')
  return undefined
}

function setLimits(limits: LimitChanges): LimitSettings {
  const set: LimitSettings = {}
  for (const name of limitNames) {
    const limit = limits[name]
    if (typeof limit === 'number') set[name] = limit
  }
  return set
}

/** All settings that the form shows: the form has their present values. */
export function partnerChangesOf(fields: PartnerFields): { changes: PartnerChanges; faults: string[] } {
  const faults: string[] = []
  return {
    faults,
    changes: {
      ...sharedOf(fields, faults),
      name: fields.name ?? '',
      redirectUris: linesOf(fields.redirect_uris ?? ''),
      requirePkce: fields.require_pkce === 'true',
      postLogoutRedirectUris: linesOf(fields.post_logout_redirect_uris ?? ''),
      idTokenOnRefresh: fields.id_token_on_refresh === 'true',
    },
  }
}

function sharedOf(fields: PartnerFields, faults: string[]) {
  const limits: LimitChanges = {}
  for (const name of limitNames)
    limits[name] = numberOrNull(fields[name], limitLabels[name], parseLimit, faults)
  return {
    site: textOrNull(fields.site),
    privacyUrl: textOrNull(fields.privacy_url),
    description: textOrNull(fields.description),
    grantLifetimeDays: numberOrNull(
      fields.grant_lifetime_days,
      'Days for which a consent is valid',
      parseLifetimeDays,
      faults,
    ),
    requireAcr: filled(fields.require_acr) ?? null,
    limits,
  }
}

/** The fields with the present settings of a partner. */
export function fieldsOf(partner: ListedPartner): PartnerFields {
  const { limits } = partner
  return {
    name: partner.name,
    redirect_uris: partner.redirect_uris.join('\n'),
    require_pkce: String(partner.require_pkce),
    post_logout_redirect_uris: partner.post_logout_redirect_uris.join('\n'),
    id_token_on_refresh: String(partner.id_token_on_refresh),
    site: partner.site ?? '',
    privacy_url: partner.privacy_url ?? '',
    description: partner.description ?? '',
    grant_lifetime_days: partner.grant_lifetime_days === null ? '' : String(partner.grant_lifetime_days),
    require_acr: partner.require_acr ?? '',
    ...Object.fromEntries(
      limitNames.map((name) => [name, limits[name] === undefined ? '' : String(limits[name])]),
    ),
  }
}

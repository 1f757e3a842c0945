import { phishingResistantAcr, twoFactorAcr } from '../acr.ts'
import { parseLifetimeDays } from '../grants/lifetime-days.ts'
import {
  type LimitChanges,
  type LimitName,
  type LimitSettings,
  limitNames,
  parseLimit,
} from '../limit-settings.ts'
import { formText, numberOrNull, textOrNull } from '../panel/fields.ts'
import { Checkbox, Field, linesOf, PostForm, Select, TextArea } from '../panel/forms.tsx'
import { Faults, PageHead } from '../panel/page-parts.tsx'
import { filled } from '../panel/paging.ts'
import type { ListedPartner } from '../partners/partners.sql.ts'
import type { NewPartner, PartnerChanges } from '../partners/partners.ts'
import Type, { type Static } from '../typebox.ts'

export const PartnerFields = Type.Object({
  name: formText(),
  redirect_uris: formText(20_000),
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

export const limitLabels: Record<LimitName, string> = {
  requests_per_minute: 'Calls per minute',
  requests_per_user_per_minute: 'Calls per user and minute',
  token_requests_per_minute: 'Token requests per minute',
  refreshes_per_connection_per_minute: 'Refreshes per connection and minute',
  expensive_reads: 'Expensive reads at the same time',
}

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
      postLogoutRedirectUris: linesOf(fields.post_logout_redirect_uris ?? ''),
      idTokenOnRefresh: fields.id_token_on_refresh === 'true',
      grantLifetimeDays: shared.grantLifetimeDays ?? undefined,
      requireAcr: shared.requireAcr ?? undefined,
      limits: setLimits(limits),
    },
  }
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

export function PartnerForm(props: {
  action: string
  csrf: string
  fields: PartnerFields
  faults: string[]
  isNew?: boolean
  back?: { label: string; href: string }
}) {
  const { action, csrf, fields, faults, isNew = false } = props
  const back = props.back ?? { label: 'Partners', href: '/admin/partners' }
  return (
    <>
      <PageHead title={isNew ? 'New partner' : 'Change the partner'} back={back} />
      <Faults faults={faults} />
      <PostForm action={action} csrf={csrf}>
        <Field
          name="name"
          label="Name"
          hint="Users see it when they connect the application."
          value={fields.name}
          maxLength={100}
          required
        />
        <TextArea
          name="redirect_uris"
          label="Redirect URIs"
          hint="One on each line. They are compared character by character."
          value={fields.redirect_uris}
          required
        />
        {isNew && <NewPartnerFields fields={fields} />}
        <Profile fields={fields} />
        <Consent fields={fields} />
        <Limits fields={fields} />
        <button type="submit">{isNew ? 'Register the partner' : 'Save'}</button>
      </PostForm>
    </>
  )
}

function NewPartnerFields({ fields }: { fields: PartnerFields }) {
  return (
    <>
      <Select
        name="authentication"
        label="How it authenticates"
        value={fields.authentication}
        choices={{
          client_secret: 'With a client secret',
          private_key_jwt: 'With a signing key (private_key_jwt)',
        }}
      />
      <TextArea
        name="jwks"
        label="Its public keys"
        hint="Only for private_key_jwt: a JSON Web Key Set, or one JSON Web Key."
        value={fields.jwks}
        maxLength={60_000}
      />
      <TextArea
        name="post_logout_redirect_uris"
        label="Addresses after logout"
        hint="Optional, one on each line."
        value={fields.post_logout_redirect_uris}
        rows={2}
      />
      <Checkbox
        name="require_pkce"
        label="Refuse authorization requests without PKCE"
        checked={fields.require_pkce === 'true'}
      />
    </>
  )
}

function Profile({ fields }: { fields: PartnerFields }) {
  return (
    <>
      <h2>What users see</h2>
      <Field
        name="description"
        label="Description"
        hint="One sentence about the application."
        value={fields.description}
        maxLength={200}
      />
      <Field name="site" label="Web site" value={fields.site} />
      <Field
        name="privacy_url"
        label="Privacy policy"
        hint={
          <>
            The logo is set with <code>latchkey partner update --logo FILE</code>, or by the admin API.
          </>
        }
        value={fields.privacy_url}
      />
    </>
  )
}

function Consent({ fields }: { fields: PartnerFields }) {
  return (
    <>
      <h2>Consent</h2>
      <Field
        name="grant_lifetime_days"
        label="Days for which a consent is valid"
        hint="Empty: the default of the deployment."
        value={fields.grant_lifetime_days}
        maxLength={4}
      />
      <Select
        name="require_acr"
        label="The weakest login with which users may connect"
        value={fields.require_acr}
        choices={acrChoices}
      />
      <Checkbox
        name="id_token_on_refresh"
        label="Each refresh also returns an id_token"
        checked={fields.id_token_on_refresh === 'true'}
      />
    </>
  )
}

function Limits({ fields }: { fields: PartnerFields }) {
  return (
    <>
      <h2>Limits</h2>
      <p class="muted">An empty limit is that of the deployment.</p>
      <div class="field-grid">
        {limitNames.map((name) => (
          <Field key={name} name={name} label={limitLabels[name]} value={fields[name]} maxLength={7} />
        ))}
      </div>
    </>
  )
}

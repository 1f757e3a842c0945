import { limitNames } from '../limit-settings.ts'
import { Checkbox, Field, PostForm, Select, TextArea } from '../panel/forms.tsx'
import { limitLabels } from '../panel/limit-labels.ts'
import { Faults, PageHead } from '../panel/page-parts.tsx'
import { acrChoices, type PartnerFields } from './partner-fields.ts'

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
        <Requests fields={fields} />
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
      <Field
        name="client_id"
        label="Client id that it keeps"
        hint="Only for a partner of another service. Empty: it gets a new one."
        value={fields.client_id}
        maxLength={100}
      />
      <Field
        name="secret_hash"
        label="Hash of the secret that it keeps"
        hint="With a client id: sha256: and the SHA-256 of the secret, in hexadecimal. Empty: it gets a new secret."
        value={fields.secret_hash}
        maxLength={200}
      />
    </>
  )
}

function Requests({ fields }: { fields: PartnerFields }) {
  return (
    <>
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
      <Field name="privacy_url" label="Privacy policy" value={fields.privacy_url} />
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

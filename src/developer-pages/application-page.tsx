import { formText } from '../panel/fields.ts'
import { Checkbox, Field, PostButton, PostForm, TextArea } from '../panel/forms.tsx'
import { Done, Exact, Facts, Faults, Id, PageHead, Section, State } from '../panel/page-parts.tsx'
import type { ListedPartner } from '../partners/partners.sql.ts'
import Type, { type Static } from '../typebox.ts'
import { HiddenFields, PartnerLogo } from '../web/parts.tsx'
import { appAddress } from './shell.tsx'

/** The form of the settings. Addresses are one on each line. */
export const ApplicationFields = Type.Object({
  redirect_uris: formText(20_000),
  post_logout_redirect_uris: formText(20_000),
  require_pkce: formText(10),
  site: formText(),
  privacy_url: formText(),
  description: formText(),
})
export type ApplicationFields = Static<typeof ApplicationFields>

/** The fields with the present settings. */
export function applicationFields(partner: ListedPartner): ApplicationFields {
  return {
    redirect_uris: partner.redirect_uris.join('\n'),
    post_logout_redirect_uris: partner.post_logout_redirect_uris.join('\n'),
    require_pkce: String(partner.require_pkce),
    site: partner.site ?? '',
    privacy_url: partner.privacy_url ?? '',
    description: partner.description ?? '',
  }
}

export function ApplicationPage(props: {
  partner: ListedPartner
  csrf: string
  mayWrite: boolean
  done: string | undefined
  faults: string[]
}) {
  const { partner, csrf, mayWrite, done, faults } = props
  const { client_id: clientId } = partner
  return (
    <>
      <PageHead title="Application" intro="What users see of it, and where they return to.">
        {mayWrite && (
          <a class="button" href={appAddress({ clientId }, '/application/edit')}>
            Change settings
          </a>
        )}
      </PageHead>
      {done && <Done>{done}</Done>}
      <Faults faults={faults} />
      <Profile partner={partner} />
      {mayWrite && <Logo partner={partner} csrf={csrf} />}
      <Addresses partner={partner} />
    </>
  )
}

function Profile({ partner }: { partner: ListedPartner }) {
  const { name, status } = partner
  return (
    <Section
      id="profile"
      title="What users see"
      intro="The operator changes the name, because users trust it."
    >
      <Facts
        items={{
          Name: <bdi>{name}</bdi>,
          Status: <State tone={status === 'active' ? 'ok' : 'danger'}>{status}</State>,
          'Client id': <Id>{partner.client_id}</Id>,
          Registered: <Exact at={partner.created_at} />,
          Description: partner.description === null ? 'none' : <bdi>{partner.description}</bdi>,
          'Web site': partner.site === null ? 'none' : <bdi>{partner.site}</bdi>,
          'Privacy policy': partner.privacy_url === null ? 'none' : <bdi>{partner.privacy_url}</bdi>,
        }}
      />
    </Section>
  )
}

function Logo({ partner, csrf }: { partner: ListedPartner; csrf: string }) {
  const { client_id: clientId, name, logo } = partner
  const action = appAddress({ clientId }, '/application/logo')
  return (
    <Section id="logo" title="Logo">
      <div class="form-row">
        <PartnerLogo name={name} logo={logo} />
        {logo !== null && <PostButton action={`${action}/remove`} csrf={csrf} label="Remove the logo" />}
      </div>
      <form method="post" action={action} enctype="multipart/form-data" class="stacked after">
        <HiddenFields csrf={csrf} />
        <div class="field">
          <label for="logo-file">New picture</label>
          <input
            id="logo-file"
            type="file"
            name="logo"
            accept="image/png,image/webp"
            aria-describedby="logo-hint"
            required
          />
          <small id="logo-hint">PNG or WebP, at most 64 kB, each side 32 to 1024 pixels.</small>
        </div>
        <button type="submit" class="secondary">
          Use this picture
        </button>
      </form>
    </Section>
  )
}

function Addresses({ partner }: { partner: ListedPartner }) {
  return (
    <Section id="addresses" title="Sign-in" intro="Addresses are compared character by character.">
      <Facts
        items={{
          'Redirect URIs': <Lines of={partner.redirect_uris} />,
          'Addresses after logout':
            partner.post_logout_redirect_uris.length === 0 ? (
              'none'
            ) : (
              <Lines of={partner.post_logout_redirect_uris} />
            ),
          PKCE: partner.require_pkce ? 'required' : 'optional',
          id_token: `${partner.id_token_alg}${partner.id_token_on_refresh ? ', also with each refresh' : ''}`,
        }}
      />
    </Section>
  )
}

function Lines({ of }: { of: string[] }) {
  return (
    <ul>
      {of.map((line) => (
        <li key={line}>
          <Id>{line}</Id>
        </li>
      ))}
    </ul>
  )
}

export function ApplicationForm(props: {
  clientId: string
  csrf: string
  fields: ApplicationFields
  faults: string[]
}) {
  const { clientId, csrf, fields, faults } = props
  const back = { label: 'Application', href: appAddress({ clientId }, '/application') }
  return (
    <>
      <PageHead title="Change settings" back={back} />
      <Faults faults={faults} />
      <PostForm action={`${back.href}/edit`} csrf={csrf}>
        <TextArea
          name="redirect_uris"
          label="Redirect URIs"
          hint="One on each line, compared character by character. A removed one is refused from the next request on."
          value={fields.redirect_uris}
          required
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
        <Field
          name="description"
          label="Description"
          hint="One sentence about the application, for users."
          value={fields.description}
          maxLength={200}
        />
        <Field name="site" label="Web site" value={fields.site} />
        <Field name="privacy_url" label="Privacy policy" value={fields.privacy_url} />
        <button type="submit">Save</button>
      </PostForm>
    </>
  )
}

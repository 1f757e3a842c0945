import { type Check, openChecks } from '../going-live/checklist.ts'
import { type GoingLive, noProduction, requestDays } from '../going-live/request-going-live.ts'
import { formText } from '../panel/fields.ts'
import { Field, PostForm, TextArea } from '../panel/forms.tsx'
import { Exact, Faults, PageHead, Section, State } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import Type, { type Static } from '../typebox.ts'
import { appAddress } from './shell.tsx'

/** What the form says. */
export const GoingLiveFields = Type.Object({
  redirect_uris: formText(20_000),
  post_logout_redirect_uris: formText(20_000),
  webhooks: formText(20_000),
  jwks: formText(40_000),
  contact: formText(500),
  expected_volume: formText(500),
})
export type GoingLiveFields = Static<typeof GoingLiveFields>

/** Production makes no requests to go live. */
export function NoRequestsHere() {
  return (
    <>
      <PageHead title="Applications go live from a sandbox" />
      <p>This is production. Open the developer pages of the sandbox, where your application is tested.</p>
    </>
  )
}

export function GoingLivePage(props: {
  clientId: string
  csrf: string
  state: GoingLive
  fields: GoingLiveFields
  faults: string[]
  baseUrl: string
}) {
  const { clientId, csrf, state, fields, faults, baseUrl } = props
  const { checks, facts, productionUrl } = state
  const open = openChecks(checks)
  return (
    <>
      <PageHead
        title="Go live"
        intro="Make a request for the operator of production. It has the profile and the developers of this application, and no secrets."
      />
      <Faults faults={faults} />
      <Checklist clientId={clientId} checks={checks} baseUrl={baseUrl} />
      <Section
        id="production"
        title="What differs in production"
        intro={productionUrl === undefined ? noProduction : `The request is for ${productionUrl}.`}
      >
        {productionUrl !== undefined && open.length > 0 && (
          <p>Finish what is required first. Then the form appears here.</p>
        )}
        {productionUrl !== undefined && open.length === 0 && (
          <PostForm action={appAddress({ clientId }, '/going-live')} csrf={csrf}>
            <ProductionFields fields={fields} signs={facts.auth_methods.includes('private_key_jwt')} />
            <button type="submit">Make the request</button>
          </PostForm>
        )}
      </Section>
    </>
  )
}

function Checklist(props: { clientId: string; checks: Check[]; baseUrl: string }) {
  const { clientId, checks, baseUrl } = props
  return (
    <Section
      id="checklist"
      title="Before you go live"
      intro="This page answers from what the sandbox has seen."
    >
      <Table
        caption="Checklist"
        rows={checks}
        keyOf={({ id }) => id}
        empty="Nothing."
        columns={[
          { label: 'State', cell: ({ done, required }) => <CheckState done={done} required={required} /> },
          { label: 'What', cell: ({ title }) => title },
          { label: 'Fact', cell: ({ found }) => <bdi>{found}</bdi> },
          {
            label: 'How to do it',
            cell: ({ how, guide, page, done }) =>
              done ? null : (
                <>
                  {how}{' '}
                  {page !== undefined && <a href={appAddress({ clientId }, `/${page}`)}>Open the page</a>}{' '}
                  {guide !== undefined && <a href={`${baseUrl}docs/${guide}`}>Read the guide</a>}
                </>
              ),
          },
        ]}
      />
    </Section>
  )
}

function CheckState({ done, required }: { done: boolean; required: boolean }) {
  if (done) return <State tone="ok">done</State>
  return <State tone={required ? 'danger' : 'warning'}>{required ? 'required' : 'advised'}</State>
}

function ProductionFields({ fields, signs }: { fields: GoingLiveFields; signs: boolean }) {
  return (
    <>
      <TextArea
        name="redirect_uris"
        label="Redirect URIs"
        hint="Where users return to, one on each line, with https. They are compared character by character."
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
      <TextArea
        name="webhooks"
        label="Webhook addresses"
        hint="Optional, one on each line. They get the types of events that your endpoints here get."
        value={fields.webhooks}
        rows={2}
      />
      {signs && (
        <TextArea
          name="jwks"
          label="Public keys"
          hint="For private_key_jwt: a JSON Web Key Set. Use other keys than in the sandbox."
          value={fields.jwks}
          maxLength={40_000}
        />
      )}
      <Field
        name="expected_volume"
        label="Expected volume"
        hint="How many users and calls you expect, for example 200 users and 5,000 calls a day."
        value={fields.expected_volume}
        maxLength={500}
        required
      />
      <Field
        name="contact"
        label="Contact"
        hint="Whom the operator can write to."
        value={fields.contact}
        maxLength={500}
        required
      />
    </>
  )
}

export function SignedPage(props: {
  clientId: string
  text: string
  name: string
  expiresAt: Date
  productionUrl: string
}) {
  const { clientId, text, name, expiresAt, productionUrl } = props
  const file = `${name.replaceAll(/[^A-Za-z0-9]+/g, '-').toLowerCase()}-going-live.txt`
  return (
    <>
      <PageHead
        title="The request is ready"
        back={{ label: 'Go live', href: appAddress({ clientId }, '/going-live') }}
        intro={`Send it to the operator of ${productionUrl}. It has no secrets.`}
      />
      <p>
        It can be opened once, until <Exact at={expiresAt} /> ({requestDays} days). Then production invites
        the same developers. An administrator or a developer makes the first secret there.
      </p>
      <p>
        <a class="button" download={file} href={`data:text/plain;charset=utf-8,${text}`}>
          Download the file
        </a>
      </p>
      <div class="field">
        <label for="request">Or copy its text</label>
        <textarea id="request" rows={6} readonly spellcheck={false}>
          {text}
        </textarea>
      </div>
    </>
  )
}

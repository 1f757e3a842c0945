import { Confirmation, PostForm, TextArea, TypedConfirmation } from '../panel/forms.tsx'
import { counted, Faults, NewSecret, PageHead } from '../panel/page-parts.tsx'
import type { Consequences } from '../partners/delete-partner.sql.ts'
import type { ListedPartner } from '../partners/partners.sql.ts'

const addressOf = (clientId: string) => `/admin/partners/${encodeURIComponent(clientId)}`

export function SecretForm({ partner, csrf }: { partner: ListedPartner; csrf: string }) {
  const { client_id: id, name, live_secrets: live } = partner
  return (
    <>
      <PageHead
        title="New client secret"
        back={{ label: name, href: addressOf(id) }}
        intro={
          <>
            <bdi>{name}</bdi> has {counted(live, 'secret')} that the server accepts.
          </>
        }
      />
      <PostForm action={`${addressOf(id)}/secret`} csrf={csrf}>
        <fieldset>
          <legend>The secrets that it has now</legend>
          <label class="check">
            <input type="radio" name="end_others" value="false" checked />
            <span>
              The newest goes on until the next rotation: the partner changes over without an interruption.
            </span>
          </label>
          <label class="check">
            <input type="radio" name="end_others" value="true" />
            <span>
              All end at once, because one leaked: the partner cannot authenticate until it has the new one.
            </span>
          </label>
        </fieldset>
        <button type="submit">Make a new secret</button>
      </PostForm>
    </>
  )
}

export function NewSecretPage({ address, secret, live }: { address: string; secret: string; live: number }) {
  return (
    <>
      <PageHead title="The new secret is live" back={{ label: 'The partner', href: address }} />
      <NewSecret what="client secret">{secret}</NewSecret>
      <p>
        {live === 1
          ? 'All other secrets have ended.'
          : 'The previous secret is accepted until the next rotation. Hand the new one over, and rotate again if you want the old one to end.'}
      </p>
      <p>
        <a class="button" href={address}>
          Open the partner
        </a>
      </p>
    </>
  )
}

export function KeysForm(props: { address: string; csrf: string; jwks: string; faults: string[] }) {
  const { address, csrf, jwks, faults } = props
  return (
    <>
      <PageHead
        title="Replace the public keys"
        back={{ label: 'The partner', href: address }}
        intro="All keys are replaced at once. To change over without an interruption, send the old key and the new one."
      />
      <Faults faults={faults} />
      <PostForm action={`${address}/keys`} csrf={csrf}>
        <TextArea
          name="jwks"
          label="JSON Web Key Set, or one JSON Web Key"
          hint="Public keys only. Never send a private key."
          value={jwks}
          rows={12}
          maxLength={60_000}
          required
        />
        <button type="submit">Replace the keys</button>
      </PostForm>
    </>
  )
}

/** @param props.days for which a consent of now is valid; undefined: it has no end */
export function LifetimePage(props: { partner: ListedPartner; days: number | undefined; csrf: string }) {
  const { partner, days, csrf } = props
  const address = addressOf(partner.client_id)
  return (
    <>
      <PageHead
        title="Apply the lifetime of consents to those that exist?"
        back={{ label: partner.name, href: address }}
      />
      <Confirmation
        action={`${address}/apply-lifetime`}
        csrf={csrf}
        button="Apply it"
        cancel={{ label: 'Cancel', href: address }}
      >
        <p>
          {days === undefined
            ? 'A consent of now has no end: nothing changes.'
            : `Each consent that would end later, or has no end, ends ${counted(days, 'day')} from now at the latest. Users can renew it.`}
        </p>
      </Confirmation>
    </>
  )
}

/** What a deletion ends, before it does. */
export function DeletionPage({
  found,
  csrf,
  faults,
}: {
  found: Consequences
  csrf: string
  faults: string[]
}) {
  const { client_id: id, name, connected_users: users, connections } = found
  return (
    <>
      <PageHead
        title={
          <>
            Delete <bdi>{name}</bdi>?
          </>
        }
        back={{ label: name, href: addressOf(id) }}
      />
      <Faults faults={faults} />
      <div class="notice warning">
        <p>
          <strong>This cannot be undone.</strong>{' '}
          {users === 0
            ? 'No user is connected at the moment.'
            : `${counted(users, 'user is', 'users are')} connected now. ${counted(connections, 'connection ends', 'connections end')}, each with its tokens.`}
        </p>
        <p>
          The audit log keeps the settings and who was connected. A suspension also refuses all requests, and
          can be undone.
        </p>
      </div>
      <PostForm action={`${addressOf(id)}/delete`} csrf={csrf}>
        <input type="hidden" name="connected_users" value={String(users)} />
        <TypedConfirmation word={id} />
        <div class="form-row">
          <button type="submit" class="danger">
            Delete the partner
          </button>
          <a class="button secondary" href={addressOf(id)}>
            Keep it
          </a>
        </div>
      </PostForm>
    </>
  )
}

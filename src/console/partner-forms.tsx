import { Confirmation, PostForm, TypedConfirmation } from '../panel/forms.tsx'
import { counted, Faults, PageHead } from '../panel/page-parts.tsx'
import type { Consequences } from '../partners/delete-partner.sql.ts'
import type { ListedPartner } from '../partners/partners.sql.ts'

const addressOf = (clientId: string) => `/admin/partners/${encodeURIComponent(clientId)}`

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

import type { Role, Scope } from '../operators/scopes.ts'
import type { Column } from '../panel/table.tsx'
import type { ExplainedRequest } from '../request-log/requests.ts'
import { roleNames } from './shell.tsx'

export const callAddress = ({ request_id: id }: ExplainedRequest) =>
  `/admin/requests?request_id=${encodeURIComponent(id)}`

export const callPartner: Column<ExplainedRequest> = {
  label: 'Partner',
  cell: ({ client_id: id, partner_name: name }) => <bdi>{name ?? id ?? 'unknown'}</bdi>,
}

export const callUser: Column<ExplainedRequest> = {
  label: 'User',
  cell: ({ user_id: id }) =>
    id === null ? '–' : <a href={`/admin/users/${encodeURIComponent(id)}`}>{id}</a>,
}

/** `operator.logged_in` as people say it: Operator logged in. */
export function eventText(event: string): string {
  const words = event.replaceAll(/[._]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The operator's role does not allow the page or the form. */
export function ForbiddenPage({ role, scope }: { role: Role; scope: Scope }) {
  return (
    <>
      <h1>Your role does not allow this</h1>
      <p>
        You are signed in with the role <strong>{roleNames[role]}</strong>. This needs the permission{' '}
        <code>{scope}</code>. Ask an owner to do it, or to change your role.
      </p>
      <p>
        <a class="button" href="/admin">
          Open the overview
        </a>
      </p>
    </>
  )
}

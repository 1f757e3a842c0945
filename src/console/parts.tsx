import type { Role, Scope } from '../admin/scopes.ts'
import type { RequestLinks } from '../panel/request-table.tsx'
import { roleNames } from './shell.tsx'

export const requestLinks: RequestLinks = {
  request: (id) => `/admin/requests?request_id=${encodeURIComponent(id)}`,
  user: (id) => `/admin/users/${encodeURIComponent(id)}`,
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

import type { DeveloperRole } from '../developer-keys/roles.ts'
import type { MemberApp } from '../developers/sessions.ts'
import { appAddress, roleNames } from './shell.tsx'

/** The developer's role does not allow the page or the form. */
export function RoleTooLow({ app, least }: { app: MemberApp; least: DeveloperRole }) {
  return (
    <>
      <h1>Your role does not allow this</h1>
      <p>
        Your role for <bdi>{app.name}</bdi> is <strong>{roleNames[app.role]}</strong>. This needs the role{' '}
        <strong>{roleNames[least]}</strong>. Ask an administrator of the application to do it, or to change
        your role.
      </p>
      <p>
        <a class="button" href={appAddress(app)}>
          Open the overview
        </a>
      </p>
    </>
  )
}

/** Too many searches of developers are running. */
export function TooBusy() {
  return (
    <>
      <h1>The search is busy</h1>
      <p>Too many pages of this kind are open at the same time. Try again in a few seconds.</p>
    </>
  )
}

/** The developers of the application have sent too many forms. */
export function TooManyForms() {
  return (
    <>
      <h1>Too many changes</h1>
      <p>
        Too many forms were sent for this application in the last minute. Nothing was changed. Try again in a
        minute. For changes by a program, use the developer API.
      </p>
    </>
  )
}

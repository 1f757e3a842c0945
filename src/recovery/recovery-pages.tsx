import type { PasswordOwner } from '../directory/new-password.ts'
import { resetMinutes } from '../mail/mail-content.ts'
import { NewPasswordField } from '../sessions/new-password-field.tsx'
import type { Texts } from '../web/languages/languages.ts'
import { FormFault, HiddenFields } from '../web/parts.tsx'

/** The form that requests a link. `request` and `page` are where the login goes on afterwards. */
export function RequestForm(props: {
  texts: Texts
  csrf: string
  request?: string | undefined
  page?: string | undefined
  loginPage: string
}) {
  const { recovery, login } = props.texts
  return (
    <>
      <h1>{recovery.forgotten}</h1>
      <p>{recovery.request.intro}</p>
      <form method="post" action="/password/forgotten">
        <HiddenFields csrf={props.csrf} request={props.request} page={props.page} />
        <label>
          {login.email}
          <input type="email" name="email" autocomplete="username" maxLength={320} required />
        </label>
        <button type="submit">{recovery.request.submit}</button>
      </form>
      <p class="small">
        <a href={props.loginPage}>{recovery.backToLogin}</a>
      </p>
    </>
  )
}

/** The same for every address. */
export function Requested({ texts: { recovery }, loginPage }: { texts: Texts; loginPage: string }) {
  return (
    <>
      <h1>{recovery.requested.heading}</h1>
      <p>{recovery.requested.text(resetMinutes)}</p>
      <p>{recovery.requested.nothing}</p>
      <p class="small">
        <a href={loginPage}>{recovery.backToLogin}</a>
      </p>
    </>
  )
}

/** Instead of the form, if the server sends no mails. */
export function Unavailable(props: { texts: Texts; supportUrl: string | undefined; loginPage: string }) {
  const { recovery } = props.texts
  return (
    <>
      <h1>{recovery.forgotten}</h1>
      <p>{recovery.unavailable}</p>
      {props.supportUrl && (
        <p>
          <a href={props.supportUrl}>{recovery.support}</a>
        </p>
      )}
      <p class="small">
        <a href={props.loginPage}>{recovery.backToLogin}</a>
      </p>
    </>
  )
}

/** The form behind a link, with its `linkName`. `fault` says why the last password was refused, or was not set. */
export function NewPasswordForm(props: {
  texts: Texts
  csrf: string
  link: string
  owner: PasswordOwner
  fault: string | undefined
}) {
  const { texts, owner, fault } = props
  const { choose } = texts.recovery
  return (
    <>
      <h1>{choose.heading}</h1>
      <p>
        {choose.account(
          <strong>
            <bdi>{owner.email}</bdi>
          </strong>,
        )}
      </p>
      {fault && <FormFault id="fault">{fault}</FormFault>}
      <form method="post" action="/password/new">
        <HiddenFields csrf={props.csrf} />
        <input type="hidden" name="link" value={props.link} />
        {/* Password managers need the user name. */}
        <input type="email" autocomplete="username" value={owner.email} readonly hidden />
        <NewPasswordField owner={owner} faultId={fault ? 'fault' : undefined} texts={texts} />
        <button type="submit">{choose.submit}</button>
      </form>
    </>
  )
}

export function PasswordSet({ texts: { recovery } }: { texts: Texts }) {
  return (
    <>
      <h1>{recovery.done.heading}</h1>
      <p>{recovery.done.text}</p>
      <p>
        <a class="button" href="/login">
          {recovery.done.signIn}
        </a>
      </p>
    </>
  )
}

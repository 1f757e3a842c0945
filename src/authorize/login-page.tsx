import type { ComponentChildren } from 'preact'
import { maxPasswordBytes } from '../directory/passwords.ts'
import type { LoginOutcome } from '../login/log-in.ts'
import { pauseText } from '../login/refusal.ts'
import type { RecoveryLink } from '../web/error-page.tsx'
import type { Texts } from '../web/languages/languages.ts'
import { FormFault, HiddenFields } from '../web/parts.tsx'

/** Why the login page is shown again. */
export type LoginRefusal = Exclude<LoginOutcome, { kind: 'welcome' }>

export function LoginPage(props: {
  texts: Texts
  csrf: string
  request?: string | undefined
  page?: string | undefined
  partnerName?: string | undefined
  email?: string | undefined
  refusal?: LoginRefusal | undefined
  /** The button for a passkey. */
  passkey: ComponentChildren
  /** For users who have forgotten their password. */
  recoveryLink?: RecoveryLink | undefined
}) {
  const { login } = props.texts
  const fault = props.refusal && {
    'aria-describedby': 'fault',
    ...(props.refusal.kind === 'refused' && { 'aria-invalid': true }),
  }
  return (
    <>
      <h1>{login.heading}</h1>
      {props.partnerName && <p>{login.purpose(<bdi>{props.partnerName}</bdi>)}</p>}
      {props.refusal && <FormFault id="fault">{refusalText(props.refusal, props.texts)}</FormFault>}
      <form method="post" action="/login">
        <HiddenFields csrf={props.csrf} request={props.request} page={props.page} />
        <label>
          {login.email}
          <input
            type="email"
            name="email"
            autocomplete="username"
            maxLength={320}
            required
            value={props.email ?? ''}
            {...fault}
          />
        </label>
        <label>
          {login.password}
          <input
            type="password"
            name="password"
            autocomplete="current-password"
            maxLength={maxPasswordBytes}
            required
            {...fault}
          />
        </label>
        <button type="submit">{login.submit}</button>
      </form>
      {props.passkey}
      {props.recoveryLink && (
        <p>
          <a href={props.recoveryLink.href}>{props.recoveryLink.label}</a>
        </p>
      )}
      <p class="small">{login.passwordPrivacy}</p>
    </>
  )
}

function refusalText(refusal: LoginRefusal, texts: Texts): string {
  return refusal.kind === 'refused' ? texts.login.wrongCredentials : pauseText(refusal, texts)
}

import type { ComponentChildren } from 'preact'
import { maxPasswordBytes } from '../directory/passwords.ts'
import type { LoginOutcome } from '../login/log-in.ts'
import { pauseText } from '../login/refusal.ts'
import type { RecoveryLink } from '../web/error-page.tsx'
import type { Texts } from '../web/languages/languages.ts'
import { FormFault, HiddenFields } from '../web/parts.tsx'
import type { Destination } from './sealed-request.ts'

/** Why the login page is shown again. */
export type LoginRefusal =
  | Exclude<LoginOutcome, { kind: 'welcome' }>
  /** No provider has users in the domain of the address, and no user has a password. */
  | { kind: 'unknown-domain' }

/** What the form asks for. `email`: only the address, because its domain may lead to a provider. `none`: no form. */
export type LoginStep = 'password' | 'email' | 'none'

export function LoginPage(props: {
  texts: Texts
  csrf: string
  destination: Destination
  step: LoginStep
  /** Providers that every user may choose. */
  providers: { id: string; name: string }[]
  /** Whether the user wants another account at the provider than last time. */
  otherAccount: boolean
  partnerName?: string | undefined
  email?: string | undefined
  refusal?: LoginRefusal | undefined
  /** The button for a passkey. */
  passkey: ComponentChildren
  /** For users who have forgotten their password. */
  recoveryLink?: RecoveryLink | undefined
}) {
  const { texts, csrf, destination, providers, otherAccount } = props
  const { login, idp } = texts
  return (
    <>
      <h1>{login.heading}</h1>
      {props.partnerName && <p>{login.purpose(<bdi>{props.partnerName}</bdi>)}</p>}
      {props.refusal && <FormFault id="fault">{refusalText(props.refusal, texts)}</FormFault>}
      {props.step !== 'none' && <EmailForm {...props} />}
      {props.step !== 'none' && providers.length > 0 && <p class="or">{idp.or}</p>}
      {providers.map(({ id, name }) => (
        <form method="post" action={`/login/idp/${id}`} key={id}>
          <HiddenFields csrf={csrf} {...destination} />
          {otherAccount && <input type="hidden" name="choose" value="account" />}
          <button type="submit" class={props.step === 'none' ? undefined : 'secondary'}>
            <span>{idp.continueWith(<bdi>{name}</bdi>)}</span>
          </button>
        </form>
      ))}
      {props.passkey}
      {props.step === 'password' && props.recoveryLink && (
        <p>
          <a href={props.recoveryLink.href}>{props.recoveryLink.label}</a>
        </p>
      )}
      {props.step === 'password' && <p class="small">{login.passwordPrivacy}</p>}
    </>
  )
}

function EmailForm(props: {
  texts: Texts
  csrf: string
  destination: Destination
  step: LoginStep
  email?: string | undefined
  refusal?: LoginRefusal | undefined
}): ComponentChildren {
  const { login, idp } = props.texts
  const fault = props.refusal && {
    'aria-describedby': 'fault',
    ...(['refused', 'unknown-domain'].includes(props.refusal.kind) && { 'aria-invalid': true }),
  }
  return (
    <form method="post" action="/login">
      <HiddenFields csrf={props.csrf} {...props.destination} />
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
      {props.step === 'password' && (
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
      )}
      <button type="submit">{props.step === 'password' ? login.submit : idp.next}</button>
    </form>
  )
}

function refusalText(refusal: LoginRefusal, texts: Texts): string {
  switch (refusal.kind) {
    case 'refused':
      return texts.login.wrongCredentials
    case 'unknown-domain':
      return texts.idp.unknownDomain
    case 'throttled':
    case 'busy':
      return pauseText(refusal, texts)
  }
}

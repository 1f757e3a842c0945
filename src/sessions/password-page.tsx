import type { PasswordOwner } from '../directory/new-password.ts'
import { maxPasswordBytes } from '../directory/passwords.ts'
import { pauseText } from '../login/refusal.ts'
import type { Texts } from '../web/languages/languages.ts'
import { FormFault, HiddenFields } from '../web/parts.tsx'
import type { ChangeOutcome } from './change-password.ts'
import { NewPasswordField, passwordFaultText } from './new-password-field.tsx'

/** The result of the submitted form. */
export type Notice =
  | { kind: 'changed' }
  | Extract<ChangeOutcome, { kind: 'unfit' | 'refused' | 'throttled' | 'busy' }>

export function PasswordForm(props: {
  csrf: string
  owner: PasswordOwner
  notice: Notice | undefined
  texts: Texts
}) {
  const { owner, notice, texts } = props
  const text = texts.password
  const [wrong, unfit] = [notice?.kind === 'refused', notice?.kind === 'unfit']
  return (
    <>
      <Outcome notice={notice} texts={texts} />
      <form method="post" action="/password" class="narrow">
        <HiddenFields csrf={props.csrf} />
        {/* Password managers need the user name. */}
        <input type="email" autocomplete="username" value={owner.email} readonly hidden />
        <label>
          {text.current}
          <input
            type="password"
            name="current_password"
            autocomplete="current-password"
            maxLength={maxPasswordBytes}
            required
            aria-invalid={wrong || undefined}
            aria-describedby={wrong ? 'fault' : undefined}
          />
        </label>
        <NewPasswordField owner={owner} faultId={unfit ? 'fault' : undefined} texts={texts} />
        <button type="submit">{text.change}</button>
      </form>
    </>
  )
}

/**
 * Instead of the form, for a user without a password that works here.
 * @param props.way how the user gets one. `none`: the firm's users log in only through its identity provider
 */
export function NoPassword(props: {
  csrf: string
  email: string
  way: 'none' | 'mail' | 'support'
  supportUrl: string | undefined
  texts: Texts
}) {
  const { csrf, email, way, supportUrl, texts } = props
  const text = texts.password.missing
  if (way === 'none') return <p>{text.atProvider}</p>
  return (
    <>
      <p>{text.notSet}</p>
      {way === 'mail' && (
        <form method="post" action="/password/forgotten">
          <HiddenFields csrf={csrf} page="password" />
          <input type="hidden" name="email" value={email} />
          <p>{text.byMail(<bdi>{email}</bdi>)}</p>
          <button type="submit">{texts.recovery.request.submit}</button>
        </form>
      )}
      {way === 'support' && (
        <p>{text.fromSupport(supportUrl ? <a href={supportUrl}>{text.support}</a> : text.support)}</p>
      )}
    </>
  )
}

function Outcome({ notice, texts }: { notice: Notice | undefined; texts: Texts }) {
  const { changed, intro } = texts.password
  if (notice?.kind === 'changed') {
    return (
      <p class="done" role="status">
        {changed}
      </p>
    )
  }
  return (
    <>
      <p>{intro}</p>
      {notice && <FormFault id="fault">{faultText(notice, texts)}</FormFault>}
    </>
  )
}

function faultText(notice: Exclude<Notice, { kind: 'changed' }>, texts: Texts): string {
  switch (notice.kind) {
    case 'unfit':
      return passwordFaultText(notice.fault, texts)
    case 'refused':
      return texts.password.wrongCurrentPassword
    case 'throttled':
    case 'busy':
      return pauseText(notice, texts)
  }
}

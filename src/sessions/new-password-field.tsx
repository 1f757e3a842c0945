import { type PasswordFault, type PasswordOwner, shortestPassword } from '../directory/new-password.ts'
import { maxPasswordBytes } from '../directory/passwords.ts'
import type { Texts } from '../web/languages/languages.ts'

/** The field of a form that sets a password. `faultId` is the id of the text that says why the last one was refused. */
export function NewPasswordField(props: { owner: PasswordOwner; faultId: string | undefined; texts: Texts }) {
  const { owner, faultId, texts } = props
  const text = texts.password
  const shortest = shortestPassword(owner)
  return (
    <>
      <label for="new">{text.new}</label>
      <input
        type="password"
        id="new"
        name="new_password"
        autocomplete="new-password"
        minLength={shortest}
        maxLength={maxPasswordBytes}
        required
        aria-invalid={faultId ? true : undefined}
        aria-describedby={faultId ? `${faultId} rule` : 'rule'}
      />
      <small id="rule">{text.rule(shortest)}</small>
    </>
  )
}

/** The text that says why a new password was refused, and what to do. */
export function passwordFaultText(fault: PasswordFault, { password: { rejectedPassword } }: Texts): string {
  return fault.kind === 'too_short'
    ? rejectedPassword.too_short(fault.characters)
    : rejectedPassword[fault.kind]
}

import { maxPasswordBytes } from '../directory/passwords.ts'
import { type PasswordFault, shortestPassword } from '../directory/users.ts'
import type { Texts } from '../web/languages/languages.ts'

/** The field of a form that sets a password. `faultId` is the id of the text that says why the last one was refused. */
export function NewPasswordField({ faultId, texts }: { faultId: string | undefined; texts: Texts }) {
  const text = texts.password
  return (
    <>
      <label for="new">{text.new}</label>
      <input
        type="password"
        id="new"
        name="new_password"
        autocomplete="new-password"
        minLength={shortestPassword}
        maxLength={maxPasswordBytes}
        required
        aria-invalid={faultId ? true : undefined}
        aria-describedby={faultId ? `${faultId} rule` : 'rule'}
      />
      <small id="rule">{text.rule(shortestPassword)}</small>
    </>
  )
}

export function passwordFaultText(fault: PasswordFault, { password: { rejectedPassword } }: Texts): string {
  return fault === 'too_short' ? rejectedPassword.too_short(shortestPassword) : rejectedPassword[fault]
}

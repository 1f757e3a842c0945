import type { PasswordOwner } from '../directory/new-password.ts'
import { CodeField, TotpKey } from '../factors/parts.tsx'
import type { TotpSetup } from '../factors/totp.ts'
import { NewPasswordField } from '../sessions/new-password-field.tsx'
import type { Texts } from '../web/languages/languages.ts'
import { FormFault, HiddenFields } from '../web/parts.tsx'

/** Password and authenticator app in one form: an account never has one without the other. */
export function SetupPage(props: {
  csrf: string
  texts: Texts
  operatorId: string
  owner: PasswordOwner
  totp: TotpSetup
  passwordFault: string | undefined
  codeFault: string | undefined
}) {
  const { csrf, texts, operatorId, owner, totp, passwordFault, codeFault } = props
  const fault = passwordFault ?? codeFault
  return (
    <>
      <h1>Set up your account</h1>
      <p>
        <strong>
          <bdi>{owner.email}</bdi>
        </strong>
        , you sign in to the console with a password and a code of an authenticator app.
      </p>
      {fault && <FormFault id="fault">{fault}</FormFault>}
      <form method="post" action="/admin/setup">
        <HiddenFields csrf={csrf} />
        <input type="hidden" name="owner" value={operatorId} />
        <input type="hidden" name="sealed" value={totp.sealed} />
        {/* Password managers need the user name. */}
        <input type="email" autocomplete="username" value={owner.email} readonly hidden />
        <h2>1. Choose a password</h2>
        <NewPasswordField owner={owner} faultId={passwordFault ? 'fault' : undefined} texts={texts} />
        {codeFault && <p class="small">Enter your password again.</p>}
        <h2>2. Add your authenticator app</h2>
        <TotpKey setup={totp} texts={texts} />
        <h2>3. Enter its code</h2>
        <CodeField
          id="code"
          label="Code of the app"
          rule="Six digits, new every 30 seconds."
          isWrong={codeFault !== undefined}
        />
        <button type="submit">Set up and sign in</button>
      </form>
    </>
  )
}

export function DeadLink({ heading }: { heading: string }) {
  return (
    <>
      <h1>{heading}</h1>
      <p>
        It was used before, it is older than a day, or a newer one has replaced it. If you have set up your
        account, sign in. Otherwise ask an owner for a new link: <code>latchkey operator reset</code>.
      </p>
      <p>
        <a class="button" href="/admin/login">
          Sign in
        </a>
      </p>
    </>
  )
}

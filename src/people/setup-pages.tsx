import type { PasswordOwner } from '../directory/new-password.ts'
import { CodeField, TotpKey } from '../factors/parts.tsx'
import type { TotpSetup } from '../factors/totp.ts'
import { NewPasswordField } from '../sessions/new-password-field.tsx'
import type { Texts } from '../web/languages/languages.ts'
import { FormFault, HiddenFields } from '../web/parts.tsx'
import type { PeopleWeb } from './people-web.ts'

/** Password and authenticator app in one form: an account never has one without the other. */
export function SetupPage(props: {
  web: Pick<PeopleWeb, 'home' | 'words'>
  csrf: string
  texts: Texts
  ownerId: string
  owner: PasswordOwner
  totp: TotpSetup
  passwordFault: string | undefined
  codeFault: string | undefined
}) {
  const { web, csrf, texts, ownerId, owner, totp, passwordFault, codeFault } = props
  const fault = passwordFault ?? codeFault
  return (
    <>
      <h1>Set up your account</h1>
      <p>
        <strong>
          <bdi>{owner.email}</bdi>
        </strong>
        {web.words.setUp}
      </p>
      {fault && <FormFault id="fault">{fault}</FormFault>}
      <form method="post" action={`${web.home}/setup`}>
        <HiddenFields csrf={csrf} />
        <input type="hidden" name="owner" value={ownerId} />
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

/** The page for a setup link that does not work. */
export function DeadLink({ web, heading }: { web: Pick<PeopleWeb, 'home' | 'words'>; heading: string }) {
  return (
    <>
      <h1>{heading}</h1>
      <p>
        It was used before, it is older than {web.words.linkLife}, or a newer one has replaced it. If you have
        set up your account, sign in. {web.words.newLink}
      </p>
      <p>
        <a class="button" href={`${web.home}/login`}>
          Sign in
        </a>
      </p>
    </>
  )
}

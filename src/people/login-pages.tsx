import type { ComponentChildren } from 'preact'
import { maxPasswordBytes } from '../directory/passwords.ts'
import { CodeField } from '../factors/parts.tsx'
import type { LoginRefusal } from '../login/log-in.ts'
import { FormFault, HiddenFields } from '../web/parts.tsx'
import type { PeopleWords } from './words.tsx'

/** Why a login is refused: texts for the person. */
export const wrongCredentials = 'The email address or the password is wrong.'
export const wrongCode = 'This code is wrong, or it was used before. Wait for the next one and enter it.'

/** Too many attempts, or too much work at the moment. */
export type Pause = Exclude<LoginRefusal, { kind: 'refused' }>

function refusalText(refusal: string | Pause): string {
  if (typeof refusal === 'string') return refusal
  if (refusal.kind === 'busy') return 'Sign-in is busy. Try again in a few seconds.'
  const minutes = Math.ceil(refusal.retryAfterSeconds / 60)
  return `There were too many attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`
}

export function LoginPage(props: {
  /** The path of the first page. */
  home: string
  words: PeopleWords
  csrf: string
  brand: string
  next: string
  email?: string | undefined
  refusal?: string | Pause | undefined
  providers: { id: string; name: string }[]
}) {
  const { home, words, csrf, brand, next, email = '', refusal, providers } = props
  return (
    <>
      <h1>{words.signIn}</h1>
      <p class="muted">{words.forWhom(brand)}</p>
      {refusal !== undefined && <FormFault id="fault">{refusalText(refusal)}</FormFault>}
      {providers.map(({ id, name }) => (
        <form method="post" action={`${home}/login/idp/${id}`} key={id}>
          <HiddenFields csrf={csrf} />
          <input type="hidden" name="next" value={next} />
          <button type="submit">
            <span>
              Continue with <bdi>{name}</bdi>
            </span>
          </button>
        </form>
      ))}
      {providers.length > 0 && <p class="or">or</p>}
      <PasswordLogin
        {...{ home, csrf, next, email, refusal }}
        buttonClass={providers.length > 0 ? 'secondary' : undefined}
      />
      <p class="small">{words.lost}</p>
    </>
  )
}

function PasswordLogin(props: {
  home: string
  csrf: string
  next: string
  email: string
  refusal: string | Pause | undefined
  buttonClass: string | undefined
}) {
  const { home, csrf, next, email, refusal, buttonClass } = props
  const fault = refusal !== undefined && {
    'aria-describedby': 'fault',
    ...(typeof refusal === 'string' && { 'aria-invalid': true }),
  }
  return (
    <form method="post" action={`${home}/login`}>
      <HiddenFields csrf={csrf} />
      <input type="hidden" name="next" value={next} />
      <label for="email">Email address</label>
      <input
        type="email"
        id="email"
        name="email"
        autocomplete="username"
        maxLength={320}
        required
        value={email}
        {...fault}
      />
      <label for="password">Password</label>
      <input
        type="password"
        id="password"
        name="password"
        autocomplete="current-password"
        maxLength={maxPasswordBytes}
        required
        {...fault}
      />
      <button type="submit" class={buttonClass}>
        Sign in
      </button>
    </form>
  )
}

/** Asks for a code of the authenticator app, or a recovery code. `children` are further hidden fields. */
export function CodePage(props: {
  action: string
  heading: string
  intro: ComponentChildren
  csrf: string
  refusal?: string | Pause | undefined
  children?: ComponentChildren
}) {
  const { action, heading, intro, csrf, refusal } = props
  const isWrong = refusal !== undefined
  return (
    <>
      <h1>{heading}</h1>
      <p>{intro}</p>
      {isWrong && <FormFault id="fault">{refusalText(refusal)}</FormFault>}
      <form method="post" action={action}>
        <HiddenFields csrf={csrf} />
        <input type="hidden" name="method" value="totp" />
        {props.children}
        <CodeField
          id="code"
          label="Code of your authenticator app"
          rule="Six digits, new every 30 seconds."
          isWrong={isWrong}
        />
        <button type="submit">Continue</button>
      </form>
      <details>
        <summary>Use a recovery code instead</summary>
        <form method="post" action={action}>
          <HiddenFields csrf={csrf} />
          <input type="hidden" name="method" value="recovery_code" />
          {props.children}
          <label for="recovery">Recovery code</label>
          <input id="recovery" name="code" autocomplete="off" maxLength={64} required />
          <button type="submit" class="secondary">
            Continue
          </button>
        </form>
      </details>
    </>
  )
}

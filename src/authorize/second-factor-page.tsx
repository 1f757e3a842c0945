import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { ComponentChildren } from 'preact'
import { CodeField, PasskeyForm, TotpKey } from '../factors/parts.tsx'
import type { Evidence } from '../factors/prove.ts'
import type { TotpSetup } from '../factors/totp.ts'
import type { Texts } from '../web/languages/languages.ts'
import { FormFault, HiddenFields } from '../web/parts.tsx'
import type { ClaimPath } from './claim.ts'
import type { Destination } from './sealed-request.ts'

/** Why the page is shown again. */
export type FactorFault =
  | { kind: 'wrong'; method: Evidence['method'] | 'totp_setup' }
  | { kind: 'throttled'; retryAfterSeconds: number }

/** What a factor can be proved with, and what the user can set up here. */
export type Offer = {
  passkey?: PublicKeyCredentialRequestOptionsJSON | undefined
  totp: boolean
  recoveryCode: boolean
  enrol?: { passkey: PublicKeyCredentialCreationOptionsJSON; totp: TotpSetup | undefined } | undefined
}

type Props = {
  path: ClaimPath
  destination: Destination
  csrf: string
  texts: Texts
  email: string
  /** The partner that requires or prefers a stronger login. */
  partnerName?: string | undefined
  /** The user may go on without. */
  optional: boolean
  offer: Offer
  fault?: FactorFault | undefined
}

export function SecondFactorPage(props: Props) {
  const { destination, csrf, texts, email, partnerName, offer, fault } = props
  const text = texts.secondFactor
  const proves = offer.passkey !== undefined || offer.totp
  const hidden = <HiddenFields csrf={csrf} {...destination} />
  return (
    <>
      <h1>{proves ? text.heading : text.enrol.heading}</h1>
      <p>{text.as(<bdi>{email}</bdi>)}</p>
      {partnerName && <p>{text.requiredBy(<bdi>{partnerName}</bdi>)}</p>}
      {!proves && <p>{offer.enrol?.totp ? text.enrol.intro : text.enrol.introPasskey}</p>}
      {fault && <FormFault id="fault">{faultText(fault, texts)}</FormFault>}
      <Proofs {...props} hidden={hidden} />
      <Enrolment {...props} proves={proves} hidden={hidden} />
      <form method="post" action={`${props.path}/leave`}>
        {hidden}
        <button type="submit" class="aside">
          {props.optional ? text.skip : text.cancel}
        </button>
      </form>
    </>
  )
}

/** The ways to prove a factor that the user has. */
function Proofs({ path, texts, offer, fault, hidden }: Props & { hidden: ComponentChildren }) {
  const text = texts.secondFactor
  const wrong = fault?.kind === 'wrong' ? fault.method : undefined
  return (
    <>
      {offer.passkey && (
        <PasskeyForm
          action={path}
          passkey={{ kind: 'get', options: offer.passkey }}
          texts={texts}
          label={text.passkey.button}
        >
          {hidden}
          <input type="hidden" name="method" value="passkey" />
          <p>{text.passkey.text}</p>
        </PasskeyForm>
      )}
      {offer.passkey && offer.totp && <p class="or">{texts.idp.or}</p>}
      {offer.totp && (
        <form method="post" action={path}>
          {hidden}
          <input type="hidden" name="method" value="totp" />
          <CodeField id="code" label={text.totp.label} rule={text.totp.rule} isWrong={wrong === 'totp'} />
          <button type="submit" class={offer.passkey ? 'secondary' : undefined}>
            {text.submit}
          </button>
        </form>
      )}
      {offer.recoveryCode && (
        <RecoveryForm {...{ path, texts, hidden, isWrong: wrong === 'recovery_code' }} />
      )}
    </>
  )
}

function RecoveryForm(props: { path: ClaimPath; texts: Texts; hidden: ComponentChildren; isWrong: boolean }) {
  const { path, texts, hidden, isWrong } = props
  const { recovery, submit } = texts.secondFactor
  return (
    <details open={isWrong}>
      <summary>{recovery.summary}</summary>
      <form method="post" action={path}>
        {hidden}
        <input type="hidden" name="method" value="recovery_code" />
        <label for="recovery">{recovery.label}</label>
        <input
          id="recovery"
          name="code"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          maxLength={64}
          required
          aria-invalid={isWrong || undefined}
          aria-describedby={isWrong ? 'fault recovery-rule' : 'recovery-rule'}
        />
        <small id="recovery-rule">{recovery.rule}</small>
        <button type="submit" class="secondary">
          {submit}
        </button>
      </form>
    </details>
  )
}

/** What the user sets up before the login goes on. */
function Enrolment(props: Props & { proves: boolean; hidden: ComponentChildren }) {
  const { path, texts, offer, fault, proves, hidden } = props
  const { enrol: text } = texts.secondFactor
  if (!offer.enrol) return null
  const { passkey, totp } = offer.enrol
  const isWrong = fault?.kind === 'wrong' && fault.method === 'totp_setup'
  return (
    <>
      <section class="way">
        <h2>{proves ? text.another : text.passkey}</h2>
        <PasskeyForm
          action={`${path}/passkey`}
          passkey={{ kind: 'create', options: passkey }}
          secondary={proves}
          texts={texts}
          label={text.addPasskey}
        >
          {hidden}
          <p>{texts.security.passkeysText}</p>
        </PasskeyForm>
      </section>
      {totp && (
        <section class="way">
          <h2>{text.totp}</h2>
          <form method="post" action={`${path}/totp`}>
            {hidden}
            <input type="hidden" name="sealed" value={totp.sealed} />
            <TotpKey setup={totp} texts={texts} />
            <CodeField
              id="setup-code"
              label={text.code}
              rule={texts.secondFactor.totp.rule}
              isWrong={isWrong}
            />
            <button type="submit" class="secondary">
              {text.submit}
            </button>
          </form>
        </section>
      )}
    </>
  )
}

function faultText(fault: FactorFault, { secondFactor, login }: Texts): string {
  if (fault.kind === 'throttled') return login.throttled(Math.ceil(fault.retryAfterSeconds / 60))
  switch (fault.method) {
    case 'passkey':
      return secondFactor.passkey.refused
    case 'totp':
      return secondFactor.totp.wrong
    case 'recovery_code':
      return secondFactor.recovery.wrong
    case 'totp_setup':
      return secondFactor.enrol.wrong
  }
}

import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { ComponentChildren } from 'preact'
import { encode } from 'uqr'
import type { Texts } from '../web/languages/languages.ts'
import { readable } from './recovery-codes.ts'
import type { TotpSetup } from './totp.ts'

type PasskeyOptions =
  | { kind: 'get'; options: PublicKeyCredentialRequestOptionsJSON }
  | { kind: 'create'; options: PublicKeyCredentialCreationOptionsJSON }

/** A form that `assets/passkeys.js` shows and sends. Its page needs `passkeys: true`. `children` are its other fields. */
export function PasskeyForm(props: {
  action: string
  passkey: PasskeyOptions
  /** Not the most important button of the page. */
  secondary?: boolean
  texts: Texts
  label: string
  children: ComponentChildren
}) {
  const { action, passkey, secondary = false, texts, label, children } = props
  const text = texts.secondFactor
  const failed = passkey.kind === 'create' ? text.enrol.failed : text.passkey.failed
  return (
    <>
      <form
        method="post"
        action={action}
        data-passkey={passkey.kind}
        data-options={JSON.stringify(passkey.options)}
        data-unsupported={text.passkey.unsupported}
        data-failed={failed}
        hidden
      >
        {children}
        <input type="hidden" name="credential" value="" />
        <p class="fault" role="alert" data-passkey-fault="" hidden />
        <button type="submit" class={secondary ? 'secondary' : undefined}>
          {label}
        </button>
      </form>
      {/* The script hides it. <noscript> would stay hidden if the script does not load. */}
      <p class="small" data-passkey-hint="">
        {text.passkey.needsScript}
      </p>
    </>
  )
}

/** The field for a code of six digits. */
export function CodeField(props: { id: string; label: string; rule: string; isWrong: boolean }) {
  const { id, label, rule, isWrong } = props
  return (
    <>
      <label for={id}>{label}</label>
      <input
        id={id}
        name="code"
        inputMode="numeric"
        autocomplete="one-time-code"
        maxLength={12}
        required
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? `fault ${id}-rule` : `${id}-rule`}
      />
      <small id={`${id}-rule`}>{rule}</small>
    </>
  )
}

/** The QR code and the key of an authenticator app. The code is black on white in dark pages too: scanners expect it. */
export function TotpKey({ setup, texts }: { setup: TotpSetup; texts: Texts }) {
  const { enrol } = texts.secondFactor
  const { data, size } = encode(setup.uri, { border: 4 })
  const modules = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : [])))
  return (
    <>
      <p>{enrol.scan}</p>
      <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={enrol.qrCode}>
        <path fill="#fff" d={`M0 0h${size}v${size}h-${size}z`} />
        <path fill="#000" d={modules.join('')} />
      </svg>
      <p>
        {enrol.orType}{' '}
        <code class="key" dir="ltr">
          {setup.secret.replace(/.{4}(?!$)/g, '$& ')}
        </code>
      </p>
    </>
  )
}

/** The only time that the user sees the codes. */
export function RecoveryCodes({ codes, next, texts }: { codes: string[]; next: string; texts: Texts }) {
  const text = texts.secondFactor.codes
  return (
    <>
      <h1>{text.heading}</h1>
      <p>{text.text}</p>
      <ol class="recovery-codes" dir="ltr">
        {codes.map((code) => (
          <li key={code}>
            <code>{readable(code)}</code>
          </li>
        ))}
      </ol>
      <p>
        <a class="button" href={next}>
          {text.done}
        </a>
      </p>
    </>
  )
}

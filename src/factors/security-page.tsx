import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server'
import type { ComponentChildren } from 'preact'
import { phishingResistantAcr } from '../acr.ts'
import type { ownRequirement } from '../login/factor-step.ts'
import type { Texts } from '../web/languages/languages.ts'
import { FormFault, HiddenFields, Moment } from '../web/parts.tsx'
import { CodeField, PasskeyForm, TotpKey } from './parts.tsx'
import type { ListedPasskey } from './passkeys.sql.ts'
import type { TotpSetup } from './totp.ts'

export type SecurityNotice = keyof Texts['security']['done']

/** Maximum length of a passkey's name, in characters. */
export const maxPasskeyName = 60

type Props = {
  required: ReturnType<typeof ownRequirement>
  passkeys: ListedPasskey[]
  hasTotp: boolean
  /** Recovery codes that are left; undefined: the user has none. */
  codesLeft: number | undefined
  /** Undefined: the user has to log in again before any change. */
  registration: PublicKeyCredentialCreationOptionsJSON | undefined
  /** Where the user logs in again. */
  confirmAt: string
  notice?: SecurityNotice | undefined
  fault?: string | undefined
  csrf: string
  texts: Texts
}

export function SecuritySettings(props: Props) {
  const { required, notice, fault, registration, confirmAt, texts } = props
  const { security: text } = texts
  return (
    <>
      <p>{text.intro}</p>
      {required && (
        <p>
          <strong>{text.required[required.acr === phishingResistantAcr ? 'passkey' : 'any']}</strong>{' '}
          {required.isMissing && text.required.missing}
        </p>
      )}
      {notice && (
        <p class="done" role="status">
          {text.done[notice]}
        </p>
      )}
      {fault && <FormFault id="fault">{fault}</FormFault>}
      {!registration && (
        <div class="notice">
          <p>{text.confirm.text}</p>
          <p>
            <a class="button secondary" href={confirmAt}>
              {text.confirm.button}
            </a>
          </p>
        </div>
      )}
      <Passkeys {...props} />
      <Totp {...props} />
      <Codes {...props} />
    </>
  )
}

function Passkeys(props: Props) {
  const { passkeys, texts } = props
  const { security: text } = texts
  return (
    <section aria-labelledby="passkeys">
      <h2 id="passkeys">{text.passkeys}</h2>
      <p>{text.passkeysText}</p>
      {passkeys.length === 0 && <p class="muted">{text.noPasskeys}</p>}
      {passkeys.map((passkey) => (
        <Passkey key={passkey.id} {...props} passkey={passkey} />
      ))}
      <NewPasskey {...props} />
    </section>
  )
}

function Passkey({ passkey, registration, csrf, texts }: Props & { passkey: Props['passkeys'][number] }) {
  const { security: text, language } = texts
  return (
    <article>
      <h3 id={`passkey-${passkey.id}`}>
        <bdi>{passkey.name}</bdi>
      </h3>
      <dl class="facts">
        <div>
          <dt>{text.added}</dt>
          <dd>
            <Moment at={passkey.created_at} language={language} />
          </dd>
        </div>
        <div>
          <dt>{text.lastUsed}</dt>
          <dd>
            {passkey.last_used_at ? (
              <Moment at={passkey.last_used_at} language={language} relative />
            ) : (
              text.neverUsed
            )}
          </dd>
        </div>
      </dl>
      {passkey.synced && <p class="small">{text.synced}</p>}
      {registration && (
        <RemoveForm
          action="/security/passkeys/remove"
          name={`passkey-${passkey.id}`}
          csrf={csrf}
          label={text.remove}
        >
          <input type="hidden" name="id" value={passkey.id} />
        </RemoveForm>
      )}
    </article>
  )
}

function NewPasskey({ registration, csrf, texts }: Props) {
  const { security: text } = texts
  if (!registration) return null
  return (
    <PasskeyForm
      action="/security/passkeys"
      passkey={{ kind: 'create', options: registration }}
      texts={texts}
      label={text.addPasskey}
    >
      <HiddenFields csrf={csrf} />
      <label for="passkey-name">{text.passkeyName}</label>
      <input
        id="passkey-name"
        name="name"
        autocomplete="off"
        maxLength={maxPasskeyName}
        aria-describedby="passkey-name-rule"
      />
      <small id="passkey-name-rule">{text.passkeyNameRule}</small>
    </PasskeyForm>
  )
}

function Totp({ hasTotp, registration, csrf, texts }: Props) {
  const { security: text } = texts
  return (
    <section aria-labelledby="totp">
      <h2 id="totp">{text.totp}</h2>
      <p>{hasTotp ? text.isSetUp : text.totpText}</p>
      {registration && hasTotp && (
        <RemoveForm action="/security/totp/remove" name="totp" csrf={csrf} label={text.remove} />
      )}
      {registration && !hasTotp && (
        <p>
          <a class="button secondary" href="/security/totp" id="set-up" aria-labelledby="set-up totp">
            {text.setUp}
          </a>
        </p>
      )}
    </section>
  )
}

function Codes({ passkeys, hasTotp, codesLeft, registration, csrf, texts }: Props) {
  const { security: text } = texts
  const hasFactor = hasTotp || passkeys.length > 0
  return (
    <section aria-labelledby="codes">
      <h2 id="codes">{text.recoveryCodes}</h2>
      <p>{text.recoveryText}</p>
      <p>{hasFactor ? text.codesLeft(codesLeft ?? 0) : text.codesNeedFactor}</p>
      {registration && hasFactor && (
        <form method="post" action="/security/recovery-codes">
          <HiddenFields csrf={csrf} />
          <p class="small">{text.oldCodesEnd}</p>
          <button type="submit" class="secondary">
            {text.newCodes}
          </button>
        </form>
      )}
    </section>
  )
}

/** @param props.name the id of the heading that names what is removed */
function RemoveForm(props: {
  action: string
  name: string
  csrf: string
  label: string
  children?: ComponentChildren
}) {
  const { action, name, csrf, label } = props
  const button = `remove-${name}`
  return (
    <form method="post" action={action}>
      <HiddenFields csrf={csrf} />
      {props.children}
      <button type="submit" class="secondary danger" id={button} aria-labelledby={`${button} ${name}`}>
        {label}
      </button>
    </form>
  )
}

/** The page on which the user sets up an authenticator app. */
export function TotpPage(props: { setup: TotpSetup; csrf: string; texts: Texts; isWrong: boolean }) {
  const { setup, csrf, texts, isWrong } = props
  const { enrol, totp } = texts.secondFactor
  return (
    <>
      <h2>{texts.security.totp}</h2>
      {isWrong && <FormFault id="fault">{enrol.wrong}</FormFault>}
      <form method="post" action="/security/totp" class="narrow">
        <HiddenFields csrf={csrf} />
        <input type="hidden" name="sealed" value={setup.sealed} />
        <TotpKey setup={setup} texts={texts} />
        <CodeField id="setup-code" label={enrol.code} rule={totp.rule} isWrong={isWrong} />
        <button type="submit">{enrol.submit}</button>
      </form>
      <p>
        <a href="/security">{texts.security.back}</a>
      </p>
    </>
  )
}

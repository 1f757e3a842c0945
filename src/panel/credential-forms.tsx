import type { ComponentChildren } from 'preact'
import { PostForm, TextArea } from './forms.tsx'
import { counted, Faults, NewSecret, PageHead } from './page-parts.tsx'

/** The page to which a form belongs. */
type Back = { label: string; href: string }

/** @param props.live how many secrets the server accepts */
export function SecretForm(props: { name: string; live: number; back: Back; action: string; csrf: string }) {
  const { name, live, back, action, csrf } = props
  return (
    <>
      <PageHead
        title="New client secret"
        back={back}
        intro={
          <>
            <bdi>{name}</bdi> has{' '}
            {live === 0 ? 'no secret yet' : `${counted(live, 'secret')} that the server accepts`}.
          </>
        }
      />
      <PostForm action={action} csrf={csrf}>
        {live > 0 && (
          <fieldset>
            <legend>The secrets that it has now</legend>
            <label class="check">
              <input type="radio" name="end_others" value="false" checked />
              <span>
                The newest works until the next rotation, or until it is ended: the application changes over
                without an interruption.
              </span>
            </label>
            <label class="check">
              <input type="radio" name="end_others" value="true" />
              <span>
                All end at once, because one leaked: the application cannot authenticate until it has the new
                one.
              </span>
            </label>
          </fieldset>
        )}
        <button type="submit">Make a new secret</button>
      </PostForm>
    </>
  )
}

/** @param props.children what to do next, if the previous secret still works */
export function NewSecretPage(props: {
  secret: string
  live: number
  back: Back
  open: string
  children: ComponentChildren
}) {
  const { secret, live, back, open, children } = props
  return (
    <>
      <PageHead title="The new secret is live" back={back} />
      <NewSecret what="client secret">{secret}</NewSecret>
      <p>{live === 1 ? 'No other secret is accepted.' : children}</p>
      <p>
        <a class="button" href={back.href}>
          {open}
        </a>
      </p>
    </>
  )
}

export function KeysForm(props: {
  action: string
  back: Back
  csrf: string
  jwks: string
  faults: string[]
}) {
  const { action, back, csrf, jwks, faults } = props
  return (
    <>
      <PageHead
        title="Replace the public keys"
        back={back}
        intro="All keys are replaced at once. To change over without an interruption, send the old key and the new one."
      />
      <Faults faults={faults} />
      <PostForm action={action} csrf={csrf}>
        <TextArea
          name="jwks"
          label="JSON Web Key Set, or one JSON Web Key"
          hint="Public keys only. Never send a private key."
          value={jwks}
          rows={12}
          maxLength={60_000}
          required
        />
        <button type="submit">Replace the keys</button>
      </PostForm>
    </>
  )
}

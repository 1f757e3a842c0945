import { HiddenFields } from '../pages/parts.tsx'
import type { Partner } from '../partners/partners.sql.ts'

export function LoginPage(props: {
  csrf: string
  request?: string | undefined
  page?: string | undefined
  partnerName?: string | undefined
  email?: string | undefined
  fault?: string | undefined
}) {
  return (
    <>
      <h1>Log in</h1>
      {props.partnerName && (
        <p>
          Log in to decide whether <bdi>{props.partnerName}</bdi> may read your households.
        </p>
      )}
      {props.fault && (
        <p class="fault" role="alert">
          {props.fault}
        </p>
      )}
      <form method="post" action="/login">
        <HiddenFields csrf={props.csrf} request={props.request} page={props.page} />
        <label>
          Email address
          <input
            type="email"
            name="email"
            autocomplete="username"
            maxLength={320}
            required
            value={props.email ?? ''}
          />
        </label>
        <label>
          Password
          <input type="password" name="password" autocomplete="current-password" maxLength={1024} required />
        </label>
        <button type="submit">Log in</button>
      </form>
      <p class="small">Your password stays here: no application ever receives it.</p>
    </>
  )
}

export function ConnectPage(props: {
  csrf: string
  request: string
  partner: Partner
  userName: string
  redirectHost: string
}) {
  const { partner } = props
  return (
    <>
      <h1>
        Connect <bdi>{partner.name}</bdi>?
      </h1>
      <p>
        You are logged in as <strong>{props.userName}</strong>.
      </p>
      <dl>
        <dt>Who asks</dt>
        <dd>
          <bdi>{partner.name}</bdi>, an application at <strong>{props.redirectHost}</strong>. You will return
          there.
        </dd>
        <dt>What it may read</dt>
        <dd>
          The households that you can see, and their active accounts. It reads only: it cannot change or move
          anything, and it does not receive your password.
        </dd>
        <dt>For how long</dt>
        <dd>Until you end it. An application that has not used it for 30 days must send you here again.</dd>
        <dt>How to end it</dt>
        <dd>
          At any time, at once, under <a href="/connections">your connected apps</a>.
        </dd>
      </dl>
      <form method="post" action="/connect">
        <HiddenFields csrf={props.csrf} request={props.request} />
        <div class="actions">
          <button type="submit" name="decision" value="cancel" class="secondary">
            Cancel
          </button>
          <button type="submit" name="decision" value="connect">
            Connect
          </button>
        </div>
      </form>
      <form method="post" action="/logout">
        <HiddenFields csrf={props.csrf} request={props.request} />
        <button type="submit" class="aside">
          Not you? Log in as someone else
        </button>
      </form>
    </>
  )
}

import type { Texts } from '../web/languages/languages.ts'
import { HiddenFields, UserName } from '../web/parts.tsx'

export function LogoutPage(props: {
  texts: Texts
  csrf: string
  /** The sealed logout request. */
  logout: string
  userName: string
  partnerName: string | undefined
}) {
  const { account, logout } = props.texts
  return (
    <>
      <h1>{logout.heading}</h1>
      {props.partnerName && <p>{logout.requestedBy(<bdi>{props.partnerName}</bdi>)}</p>}
      <p>{account.loggedInAs(<UserName>{props.userName}</UserName>)}</p>
      <p>{logout.appsStayConnected}</p>
      <form method="post" action="/logout">
        <HiddenFields csrf={props.csrf} />
        <input type="hidden" name="logout" value={props.logout} />
        <button type="submit">{account.logOut}</button>
      </form>
      <p>
        <a href="/connections">{logout.stayLoggedIn}</a>
      </p>
    </>
  )
}

export function LoggedOutPage(props: {
  texts: Texts
  /** The provider at which the user is still logged in. */
  stillAt?: string | undefined
}) {
  const { logout, idp } = props.texts
  return (
    <>
      <h1>{logout.done.heading}</h1>
      {props.stillAt && <p>{idp.stillSignedIn(<bdi>{props.stillAt}</bdi>)}</p>}
      <p>{logout.done.text}</p>
    </>
  )
}

import type { Partner } from '../partners/partners.sql.ts'
import type { Texts } from '../web/languages/languages.ts'
import { HiddenFields, UserName } from '../web/parts.tsx'

export function ConnectPage(props: {
  texts: Texts
  csrf: string
  request: string
  partner: Partner
  userName: string
  redirectHost: string
}) {
  const { account, connect } = props.texts
  const partner = <bdi>{props.partner.name}</bdi>
  return (
    <>
      <h1>{connect.heading(partner)}</h1>
      <p>{account.loggedInAs(<UserName>{props.userName}</UserName>)}</p>
      <dl>
        <dt>{connect.who.term}</dt>
        <dd>{connect.who.text(partner, <strong>{props.redirectHost}</strong>)}</dd>
        <dt>{connect.what.term}</dt>
        <dd>{connect.what.text}</dd>
        <dt>{connect.howLong.term}</dt>
        <dd>{connect.howLong.text}</dd>
        <dt>{connect.howToEnd.term}</dt>
        <dd>{connect.howToEnd.text('/connections')}</dd>
      </dl>
      <form method="post" action="/connect">
        <HiddenFields csrf={props.csrf} request={props.request} />
        <div class="actions">
          <button type="submit" name="decision" value="cancel" class="secondary outline">
            {connect.cancel}
          </button>
          <button type="submit" name="decision" value="connect">
            {connect.submit}
          </button>
        </div>
      </form>
      <form method="post" action="/logout">
        <HiddenFields csrf={props.csrf} request={props.request} />
        <button type="submit" class="aside">
          {connect.switchUser}
        </button>
      </form>
    </>
  )
}

import type { FastifyReply } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { Texts } from '../web/languages/languages.ts'
import type { Web } from '../web/page-edge.tsx'
import { HiddenFields, UserName } from '../web/parts.tsx'
import type { Session } from './sessions.sql.ts'

type AccountPage = 'connections' | 'sessions' | 'security' | 'password'

/** Sends one of the account pages, with their common navigation, in the browser's language. */
export function sendAccountPage(content: {
  web: Web
  reply: FastifyReply
  session: Session
  page: AccountPage
  body: (csrf: string, texts: Texts) => ComponentChildren
  status?: number
  localTimes?: boolean
  passkeys?: boolean
}): FastifyReply {
  const { web, reply, session, page, status = 200, localTimes = false, passkeys = false } = content
  const texts = web.texts(reply.request)
  const { heading } = texts[page]
  const csrf = web.csrfToken(reply)
  const body = (
    <>
      <Navigation current={page} texts={texts} />
      <h1>{heading}</h1>
      <form method="post" action="/logout" class="who">
        <HiddenFields csrf={csrf} />
        {texts.account.loggedInAs(<UserName>{session.user_name}</UserName>)}{' '}
        <button type="submit" class="aside">
          {texts.account.logOut}
        </button>
      </form>
      {content.body(csrf, texts)}
    </>
  )
  return web.page({ reply, texts, status, title: heading, body, wide: true, localTimes, passkeys })
}

function Navigation({ current, texts }: { current: AccountPage; texts: Texts }) {
  const link = (page: AccountPage) => (
    <a href={`/${page}`} aria-current={page === current ? 'page' : undefined}>
      {texts[page].heading}
    </a>
  )
  return (
    <nav class="account" aria-label={texts.account.navigation}>
      {link('connections')}
      {link('sessions')}
      {link('security')}
      {link('password')}
    </nav>
  )
}

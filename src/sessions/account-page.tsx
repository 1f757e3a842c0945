import type { FastifyReply } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { Web } from '../web/edge.tsx'
import type { Texts } from '../web/languages/languages.ts'
import { HiddenFields, UserName } from '../web/parts.tsx'
import type { Session } from './sessions.sql.ts'

type AccountPage = 'connections' | 'sessions' | 'password'

/** Sends one of the account pages, with their common navigation. */
export async function sendAccountPage(
  web: Web,
  reply: FastifyReply,
  { user_name: userName }: Session,
  page: AccountPage,
  body: (csrf: string, texts: Texts) => ComponentChildren,
  status = 200,
): Promise<FastifyReply> {
  const texts = await web.texts(reply.request)
  const { heading } = texts[page]
  const csrf = web.csrfToken(reply)
  const content = (
    <>
      <Navigation current={page} csrf={csrf} texts={texts} />
      <h1>{heading}</h1>
      <p>{texts.account.loggedInAs(<UserName>{userName}</UserName>)}</p>
      {body(csrf, texts)}
    </>
  )
  return web.page(reply, texts, status, heading, content, { wide: true })
}

function Navigation({ current, csrf, texts }: { current: AccountPage; csrf: string; texts: Texts }) {
  const link = (page: AccountPage) => (
    <a href={`/${page}`} aria-current={page === current ? 'page' : undefined}>
      {texts[page].heading}
    </a>
  )
  return (
    <nav class="account" aria-label={texts.account.navigation}>
      {link('connections')}
      {link('sessions')}
      {link('password')}
      <form method="post" action="/logout">
        <HiddenFields csrf={csrf} />
        <button type="submit" class="aside">
          {texts.account.logOut}
        </button>
      </form>
    </nav>
  )
}

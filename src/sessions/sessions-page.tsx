import type { Texts } from '../web/languages/languages.ts'
import { HiddenFields, Moment } from '../web/parts.tsx'
import { idleMinutes, type ListedSession, sessionHours } from './sessions.sql.ts'

export function Sessions(props: { sessions: ListedSession[]; csrf: string; texts: Texts }) {
  const { sessions, csrf, texts } = props
  return (
    <>
      <p>{texts.sessions.intro(idleMinutes, sessionHours)}</p>
      {sessions.map((session) => (
        <SessionCard key={session.id} session={session} csrf={csrf} texts={texts} />
      ))}
      {sessions.length > 1 && (
        <form method="post" action="/sessions/end-others">
          <HiddenFields csrf={csrf} />
          <button type="submit">{texts.sessions.endOthers}</button>
        </form>
      )}
    </>
  )
}

function SessionCard({ session, csrf, texts }: { session: ListedSession; csrf: string; texts: Texts }) {
  const { sessions: text, language } = texts
  const { id, browser, system } = session
  const [name, button] = [`session-${id}`, `end-${id}`]
  return (
    <article>
      <h2 id={name}>
        <bdi>{browser && system ? text.browserOn(browser, system) : (browser ?? system ?? text.unknown)}</bdi>
        {session.current && <span class="badge">{text.current}</span>}
      </h2>
      <dl class="facts">
        <div>
          <dt>{text.loggedIn}</dt>
          <dd>
            <Moment at={session.auth_time} language={language} />
          </dd>
        </div>
        <div>
          <dt>{text.lastActive}</dt>
          <dd>
            <Moment at={session.last_seen_at} language={language} relative />
          </dd>
        </div>
      </dl>
      <form method="post" action="/sessions/end">
        <HiddenFields csrf={csrf} />
        <input type="hidden" name="session" value={id} />
        <button type="submit" class="secondary" id={button} aria-labelledby={`${button} ${name}`}>
          {text.end}
        </button>
      </form>
    </article>
  )
}

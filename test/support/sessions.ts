import { passwordAcr } from '../../src/acr.ts'
import { newSessionId } from '../../src/web/cookies.ts'
import { query } from './database.ts'
import { plant } from './login.ts'
import type { TestServer } from './server.ts'
import { type Page, Visitor } from './visitor.ts'

/** A browser with a session of this user, without a login: for directories whose users have no usable email address. */
export async function withSession(server: TestServer, userId: string): Promise<Visitor> {
  const visitor = new Visitor()
  const { id, hash } = newSessionId()
  await query(
    server.database,
    `INSERT INTO sessions (hash, user_id, auth_time, expires_at, login_version, acr, amr)
     SELECT $2, id, now(), now() + interval '1 hour', login_version, $3, '{pwd}' FROM users WHERE id = $1`,
    [userId, hash, passwordAcr],
  )
  await plant(visitor, server, 'latchkey-session', id)
  return visitor
}

export type ListedSession = { name: string; id: string; current: boolean }

export const sessionsPage = (visitor: Visitor, server: TestServer) =>
  visitor.get(`${server.authUrl}/sessions`)

/** The sessions as the page shows them. */
export function listedSessions(page: Page): ListedSession[] {
  return page.document.querySelectorAll('article').map((article) => ({
    name: article.querySelector('bdi')?.text ?? '',
    id: article.querySelector('input[name=session]')?.getAttribute('value') ?? '',
    current: article.querySelector('.badge') !== null,
  }))
}

/** Whether the browser is logged in, as this server sees it. */
export async function isLoggedIn(visitor: Visitor, server: TestServer): Promise<boolean> {
  return (await visitor.get(`${server.authUrl}/connections`)).status === 200
}

/** Makes the user's sessions look unused for so many minutes. */
export async function leaveIdle(server: TestServer, userId: string, minutes: number): Promise<void> {
  await query(
    server.database,
    `UPDATE sessions SET last_seen_at = now() - make_interval(mins => $2) WHERE user_id = $1`,
    [userId, minutes],
  )
}

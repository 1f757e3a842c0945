import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { newSessionId } from '../../src/web/cookies.ts'
import { query } from './database.ts'
import type { TestServer } from './server.ts'
import { Visitor } from './visitor.ts'

export type TestDeveloper = { id: string; browser: Visitor }

type DeveloperOptions = { email?: string; name?: string; role?: 'admin' | 'developer' | 'viewer' }

/** A developer of an application who is logged in in `browser`. The login itself has its own tests. */
export async function developerOfApp(
  server: TestServer,
  clientId: string,
  { email = 'dana@partner.example', name = 'Dana Developer', role = 'admin' }: DeveloperOptions = {},
): Promise<TestDeveloper> {
  const { id: session, hash } = newSessionId()
  const [developer] = await query<{ id: string }>(
    server.database,
    `WITH developer AS (
       INSERT INTO developers (email, email_folded, name, password_hash) VALUES ($1, lower($1), $2, 'none') RETURNING *
     ), membership AS (
       INSERT INTO developer_memberships (developer_id, client_id, role, last_seen_at) SELECT id, $3, $4, now() FROM developer
     )
     INSERT INTO developer_sessions (hash, developer_id, login_version, expires_at)
     SELECT $5, id, login_version, now() + interval '1 hour' FROM developer RETURNING developer_id AS id`,
    [email, name, clientId, role, hash],
  )
  if (!developer) throw new Error('no developer was added')
  const browser = new Visitor()
  await browser.jar.setCookie(`latchkey-developer-session=${session}; Path=/; HttpOnly`, server.authUrl)
  return { id: developer.id, browser }
}

/** The same, in a browser that can send forms: a page has given it the secret of its forms. */
export async function developerWithForms(
  server: TestServer,
  clientId: string,
  options: DeveloperOptions,
): Promise<TestDeveloper> {
  const developer = await developerOfApp(server, clientId, options)
  await developer.browser.get(`${server.authUrl}/developers/account`)
  return developer
}

/** A browser in which a developer is signed in. */
export async function developerBrowser(
  server: TestServer,
  browser: Browser,
  developer: TestDeveloper,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ ...options, locale: 'en' })
  const cookies = await developer.browser.jar.getCookies(server.authUrl)
  await context.addCookies(
    cookies.map(({ key, value, httpOnly, secure }) => ({
      ...{ name: key, value, httpOnly, secure, url: server.authUrl },
    })),
  )
  return context
}

import { systemOrigin } from '../../src/audit/origin.ts'
import type { DeveloperRole } from '../../src/developer-keys/roles.ts'
import { inviteDeveloper } from '../../src/developers/members.ts'
import { newSessionId } from '../../src/web/cookies.ts'
import { query } from './database.ts'
import { codesOn, keyOn, nextCode } from './factors.ts'
import type { TestServer } from './server.ts'
import { type Page, Visitor } from './visitor.ts'

export const developerPassword = 'harbour violin copper meadow'

/** A developer who is logged in in `browser`. */
export type TestDeveloper = { id: string; browser: Visitor }

/** What a developer logs in with, in addition to `developerPassword`: `secret` is that of the app, `codes` are for recovery. */
type Credentials = { email: string; secret: string; codes: string[] }

type Invited = { clientId: string; email?: string; name?: string; role?: DeveloperRole }

/** An operator invites a developer. @returns the setup link; undefined for an account that is set up */
export async function invited(
  server: TestServer,
  { clientId, email = 'dora@partner.example', name = 'Dora Developer', role = 'admin' }: Invited,
): Promise<{ id: string; link: string | undefined }> {
  const invitation = { clientId, email, name, role }
  const by = { config: server.context.config, by: 'operator' } as const
  const outcome = await inviteDeveloper(server.database, systemOrigin, by, invitation)
  if (outcome.kind !== 'invited' && outcome.kind !== 'was_member') throw new Error(JSON.stringify(outcome))
  return { id: outcome.id, link: outcome.link?.link }
}

/** Sets up the account behind a link. @returns the page with the recovery codes, and the secret of the app */
export async function setUpDeveloper(
  server: TestServer,
  browser: Visitor,
  link: string,
): Promise<{ page: Page; secret: string }> {
  const form = await browser.follow(await browser.get(link))
  const secret = keyOn(form)
  const fields = { new_password: developerPassword, code: nextCode(server, secret) }
  return { page: await browser.submit(form, '/developers/setup', fields), secret }
}

/** Invites a developer, who sets up the account and is then logged in in `browser`. */
export async function newDeveloper(
  server: TestServer,
  invitation: Invited,
): Promise<TestDeveloper & Credentials> {
  const { id, link } = await invited(server, invitation)
  const browser = new Visitor()
  const { page, secret } = await setUpDeveloper(server, browser, link ?? '')
  if (page.status !== 200) throw new Error(page.text)
  const { email = 'dora@partner.example' } = invitation
  return { id, email, secret, codes: codesOn(page), browser }
}

/** Logs a developer in. @returns the last answer, without following it */
export async function logInDeveloper(
  server: TestServer,
  browser: Visitor,
  { email, secret }: Pick<Credentials, 'email' | 'secret'>,
): Promise<Page> {
  const form = await browser.get(`${server.authUrl}/developers/login`)
  const answer = await browser.submit(form, '/developers/login', { email, password: developerPassword })
  const page = await browser.follow(answer)
  return browser.submit(page, '/developers/login/second-factor', { code: nextCode(server, secret) })
}

type DeveloperOptions = { email?: string; name?: string; role?: DeveloperRole }

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

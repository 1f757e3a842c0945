import { systemOrigin } from '../../src/audit/origin.ts'
import type { DeveloperRole } from '../../src/developer-keys/roles.ts'
import { inviteDeveloper } from '../../src/developers/members.ts'
import { codesOn, keyOn, nextCode } from './factors.ts'
import type { TestServer } from './server.ts'
import { type Page, Visitor } from './visitor.ts'

export const developerPassword = 'harbour violin copper meadow'

/** A developer who has set up the account. */
export type TestDeveloper = { id: string; email: string; secret: string; codes: string[]; browser: Visitor }

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
export async function newDeveloper(server: TestServer, invitation: Invited): Promise<TestDeveloper> {
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
  { email, secret }: Pick<TestDeveloper, 'email' | 'secret'>,
): Promise<Page> {
  const form = await browser.get(`${server.authUrl}/developers/login`)
  const answer = await browser.submit(form, '/developers/login', { email, password: developerPassword })
  const page = await browser.follow(answer)
  return browser.submit(page, '/developers/login/second-factor', { code: nextCode(server, secret) })
}

import { systemOrigin } from '../../src/audit/origin.ts'
import { createOperator } from '../../src/operators/operators.ts'
import type { Role } from '../../src/operators/scopes.ts'
import { codesOn, keyOn, nextCode } from './factors.ts'
import type { TestServer } from './server.ts'
import { type Page, Visitor } from './visitor.ts'

export const operatorPassword = 'ferry lantern quartz orbit'

/** An operator who has set up the account. */
export type TestOperator = { id: string; email: string; secret: string; codes: string[]; browser: Visitor }

/** Adds an operator. @returns the setup link */
export async function addOperator(
  server: TestServer,
  { email, name = 'Olive Operator', role = 'owner' }: { email: string; name?: string; role?: Role },
): Promise<{ id: string; link: string }> {
  const outcome = await createOperator(server.database, systemOrigin, server.context.config, {
    ...{ email, name, role },
  })
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
  return { id: outcome.id, link: outcome.link }
}

/** Opens a setup link. @returns the page with the form */
export async function openSetup(browser: Visitor, link: string): Promise<Page> {
  return browser.follow(await browser.get(link))
}

/** Adds an operator, who sets up the account and is then logged in in `browser`. */
export async function newOperator(
  server: TestServer,
  { email = 'olive@platform.example', ...more }: { email?: string; name?: string; role?: Role } = {},
): Promise<TestOperator> {
  const { id, link } = await addOperator(server, { email, ...more })
  const browser = new Visitor()
  const page = await openSetup(browser, link)
  const secret = keyOn(page)
  const fields = { new_password: operatorPassword, code: nextCode(server, secret) }
  const done = await browser.submit(page, '/admin/setup', fields)
  if (done.status !== 200) throw new Error(done.text)
  return { id, email, secret, codes: codesOn(done), browser }
}

/** Types address and password. @returns the answer, without following it */
export async function typePassword(
  server: TestServer,
  browser: Visitor,
  { email, password = operatorPassword }: { email: string; password?: string },
): Promise<Page> {
  const page = await browser.get(`${server.authUrl}/admin/login`)
  return browser.submit(page, '/admin/login', { email, password })
}

/** Logs an operator in. @returns the last answer, without following it */
export async function logInOperator(
  server: TestServer,
  browser: Visitor,
  { email, secret }: Pick<TestOperator, 'email' | 'secret'>,
): Promise<Page> {
  const page = await browser.follow(await typePassword(server, browser, { email }))
  return browser.submit(page, '/admin/login/second-factor', { code: nextCode(server, secret) })
}

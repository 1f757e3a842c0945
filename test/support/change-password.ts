import { emailOf, password } from './directory.ts'
import { loginPage } from './login.ts'
import type { TestServer } from './server.ts'
import { type Page, Visitor } from './visitor.ts'

export const newPassword = 'a quite different secret'

/** Fills in the password page. */
export async function changePassword(
  visitor: Visitor,
  server: TestServer,
  next = newPassword,
  current = password,
): Promise<Page> {
  const page = await visitor.get(`${server.authUrl}/password`)
  return visitor.submit(page, '/password', { current_password: current, new_password: next })
}

/** Logs in and returns the status. By default the browser is new to the server. */
export async function loginStatus(
  server: TestServer,
  userId: string,
  secret: string,
  visitor = new Visitor(),
): Promise<number> {
  const fields = { email: emailOf(userId), password: secret }
  return (await visitor.submit(await loginPage(server, visitor), '/login', fields)).status
}

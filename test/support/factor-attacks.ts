import { beforeEach, expect } from 'vitest'
import { query } from './database.ts'
import { seed } from './directory.ts'
import { addPasskey, addTotp, passwordOnly } from './factors.ts'
import { serverFixture } from './fixtures.ts'
import { loggedIn } from './pages.ts'
import { SoftAuthenticator } from './soft-authenticator.ts'
import { type Page, Visitor } from './visitor.ts'

export const factorPage = '/login/second-factor'

/**
 * A server and users for attacks on second factors. Each test has a separate user, who has no factor yet. Call it at the top
 * level of a file.
 */
export async function factorAttackFixture(numberOfUsers: number) {
  const server = await serverFixture({ host: 'localhost' })
  const users = Array.from({ length: numberOfUsers }, (_, number) => `user-${number}`)
  await seed(server.database, { users })
  /** Another user without a factor. */
  function nextUser(): string {
    const next = users.pop()
    if (next === undefined) throw new Error('more tests than users')
    return next
  }
  let user = ''
  beforeEach(async () => {
    user = nextUser()
    await query(server.database, 'DELETE FROM login_failures')
  })

  /** The page for the second factor in a new browser. */
  async function atSecondFactor(userId = user): Promise<{ visitor: Visitor; page: Page }> {
    const visitor = new Visitor()
    const page = await passwordOnly(server, userId, visitor)
    expect(new URL(page.url).pathname).toBe(factorPage)
    return { visitor, page }
  }

  const withTotp = async (userId = user) => addTotp(server, await loggedIn(server, userId))

  async function withPasskey(userId = user): Promise<SoftAuthenticator> {
    const device = new SoftAuthenticator(server.authUrl)
    await addPasskey(server, await loggedIn(server, userId), device)
    return device
  }

  const setStatus = (status: 'active' | 'disabled') =>
    query(server.database, 'UPDATE users SET status = $2 WHERE id = $1', [user, status])

  const sendCode = ({ visitor, page }: { visitor: Visitor; page: Page }, code: string) =>
    visitor.submit(page, factorPage, { method: 'totp', code })

  return {
    server,
    userOfTest: () => user,
    nextUser,
    atSecondFactor,
    withTotp,
    withPasskey,
    setStatus,
    sendCode,
  }
}

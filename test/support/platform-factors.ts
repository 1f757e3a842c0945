import type { Page } from 'playwright-core'
import { query } from './database.ts'
import { emailOf, password } from './directory.ts'
import { totp } from './factors.ts'
import { type Look, type Platform, typePassword } from './platform.ts'
import { mailedLink } from './recovery.ts'

/** The pages on which users set up and use second factors. The user is `cleo`. */
export async function visitFactors({ server }: Platform, page: Page, look: Look): Promise<void> {
  const { database } = server
  const requireAcr = (acr: string | null) => query(database, 'UPDATE firms SET require_acr = $1', [acr])
  const logIn = async () => {
    await page.context().clearCookies()
    await page.goto(`${server.authUrl}/login`)
    await typePassword(page, emailOf('cleo'), password)
    await page.locator('[name=code]').first().waitFor()
  }
  const visit = async (path: string, shows: string) => {
    await page.goto(`${server.authUrl}/${path}`)
    await look(page, shows)
  }
  for (const table of ['passkeys', 'totp_secrets', 'recovery_codes', 'login_failures'])
    await query(
      database,
      `DELETE FROM ${table}${table === 'login_failures' ? '' : ` WHERE user_id = 'cleo'`}`,
    )
  await requireAcr('urn:latchkey:acr:two-factor')
  await logIn()
  await look(page, 'set up a factor')
  await typeCode(page, '000000')
  await page.locator('#fault').waitFor()
  await look(page, 'wrong code at the setup')
  const key = (await page.locator('code[dir=ltr]').textContent()) ?? ''
  await typeCode(page, totp(key.replaceAll(' ', ''), server.context.now()))
  await page.locator('.recovery-codes').waitFor()
  await look(page, 'recovery codes')

  await requireAcr('urn:latchkey:acr:phishing-resistant')
  await visit('security', 'security without the required passkey')
  await query(database, addPasskeys)
  await visit('security', 'security with all factors')
  await logIn()
  await page.locator('main summary').click()
  await look(page, 'second factor with a passkey')
  await requireAcr(null)
}

/** The pages of a user who has no password, or sets one with a link. The user is `dan`. */
export async function visitPasswords(platform: Platform, page: Page, look: Look): Promise<void> {
  const { server, mailbox } = platform
  await query(server.database, 'DELETE FROM login_failures')
  await query(server.database, 'DELETE FROM outbox') // mails of the other pages
  await page.goto(await mailedLink(server, mailbox, 'dan'))
  await look(page, 'choose a password')
  const choose = async (chosen: string) => {
    await page.locator('[name=new_password]').fill(chosen)
    await page.locator('[name=new_password]').press('Enter')
  }
  await choose('passwordpassword')
  await page.locator('#fault').waitFor()
  await look(page, 'password refused')
  await choose(password)
  await page.waitForURL(/\/set$/)
  await look(page, 'password set')
  await page.goto(`${server.authUrl}/password/reset?token=used`)
  await look(page, 'link used')

  await page.goto(`${server.authUrl}/login`)
  await typePassword(page, emailOf('dan'), password)
  await page.waitForURL(/\/connections/)
  await query(server.database, `UPDATE users SET password_hash = NULL WHERE id = 'dan'`)
  await page.goto(`${server.authUrl}/password`)
  await look(page, 'no password')
  await query(server.database, 'UPDATE firms SET local_passwords = false')
  await page.goto(`${server.authUrl}/password`)
  await query(server.database, 'UPDATE firms SET local_passwords = true')
  await look(page, 'password at the provider')
}

async function typeCode(page: Page, code: string): Promise<void> {
  await page.locator('[name=code]').first().fill(code)
  await page.locator('[name=code]').first().press('Enter')
}

const addPasskeys = `
  INSERT INTO passkeys (credential_id, user_id, public_key, counter, transports, synced, backed_up, name, last_used_at)
  VALUES ('laptop', 'cleo', 'key', 0, '{}', true, true, 'Laptop', now() - interval '3 days'),
         ('key', 'cleo', 'key', 0, '{}', false, false, 'The security key in the drawer of the desk at home, 2nd', NULL)`

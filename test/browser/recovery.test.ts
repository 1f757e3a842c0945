import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { chooseTexts } from '../../src/web/languages/languages.ts'
import { looks, pageFaults } from '../support/accessibility.ts'
import { screenshot } from '../support/browser.ts'
import { loginStatus } from '../support/change-password.ts'
import { query } from '../support/database.ts'
import { emailOf } from '../support/directory.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'
import { mailboxFixture } from '../support/mailbox.ts'
import { linkIn } from '../support/recovery.ts'

const chosen = 'plum tractor velvet orbit'
const mailbox = await mailboxFixture()
const server = await serverFixture({ mail: mailbox.settings, users: ['ada', 'bob'] })
const browser = await browserFixture()

test.each([
  ['ada', 'en', 'desktop, dark'],
  ['bob', 'fr', 'phone, light'],
] as const)(
  '%s sets a forgotten password, in %s on a %s screen; axe finds nothing wrong',
  async (id, language, name) => {
    await query(server.database, 'DELETE FROM outbox')
    const { login, recovery } = chooseTexts(language, undefined)
    const context = await browser.newContext({ ...looks[name], locale: language })
    const page = await context.newPage()
    const look = async (shown: Page, step: string) => {
      await screenshot(shown, `recovery ${step} (${name}, ${language})`)
      expect.soft(await pageFaults(shown), step).toEqual([])
    }
    try {
      await page.goto(`${server.authUrl}/login`)
      await page.getByRole('link', { name: recovery.forgotten }).click()
      await page.getByLabel(login.email).fill(emailOf(id))
      await look(page, 'request')
      await page.getByRole('button', { name: recovery.request.submit }).click()
      await page.getByRole('heading', { name: recovery.requested.heading }).waitFor()
      await look(page, 'requested')

      await server.sendMails()
      const { text, html = '' } = await mailbox.next()
      // The user opens the mail on a page of the mail program, and clicks the link there.
      const mail = await context.newPage()
      await mail.setContent(html)
      await screenshot(mail, `recovery mail (${name}, ${language})`)
      await mail.getByRole('link').click()
      await mail.getByRole('heading', { name: recovery.choose.heading }).waitFor()
      expect(mail.url()).toBe(`${server.authUrl}/password/new`)
      expect(await mail.evaluate('document.referrer')).toBe('')
      await look(mail, 'choose')
      await mail.locator('[name=new_password]').fill('aaaaaaaaaaaaaaaa')
      await mail.getByRole('button', { name: recovery.choose.submit }).click()
      await mail.locator('main [role=alert]').waitFor()
      await look(mail, 'refused')
      await mail.locator('[name=new_password]').fill(chosen)
      await mail.getByRole('button', { name: recovery.choose.submit }).click()
      await mail.getByRole('heading', { name: recovery.done.heading }).waitFor()
      await look(mail, 'done')
      await page.goto(linkIn(text))
      await page.getByRole('heading', { name: recovery.dead.heading }).waitFor()
      await look(page, 'dead')
    } finally {
      await context.close()
    }
    expect(await loginStatus(server, id, chosen)).toBe(303)
  },
)

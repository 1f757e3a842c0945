import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { readBrand } from '../../src/brand/read-brand.ts'
import { query } from './database.ts'
import { emailOf, password } from './directory.ts'
import { browserFixture, serverFixture } from './fixtures.ts'
import { type ForeignProvider, foreignProvider } from './foreign-provider.ts'
import { addTestProvider } from './idp.ts'
import { type Mailbox, mailboxFixture } from './mailbox.ts'
import { partnerAppFixture } from './partner-app-process.ts'
import { freePort } from './ports.ts'
import type { TestServer } from './server.ts'

const examples = fileURLToPath(new URL('../../examples', import.meta.url))
const families =
  'Ashworth Bergström Castellanos Dubois Eriksen Fontaine García Haddad Ivanova Jansen Kowalczyk Lefèvre Müller Nguyễn'.split(
    ' ',
  )

/** A platform with its brand, its directory, its OpenID Provider, and a partner application that runs as a process. */
export type Platform = {
  server: TestServer
  provider: ForeignProvider
  mailbox: Mailbox
  browser: Browser
  partnerUrl: string
}

/** The platform of `examples/brand`. Its user is `ada`, who may see 84 households. Closed after the file's last test. */
export async function platformFixture(): Promise<Platform> {
  const mailbox = await mailboxFixture()
  const server = await serverFixture({
    ...{ environment: 'production', host: 'localhost', mail: mailbox.settings, brand: sampleBrand() },
    ...directory(),
  })
  await query(server.database, `UPDATE users SET name = 'Ada Whitlock' WHERE id = 'ada'`)
  const partnerUrl = `http://localhost:${await freePort()}`
  const partner = await server.partner({
    ...{ name: 'Ledgerline', description: 'Plans for retirement', site: 'https://ledgerline.example' },
    ...{ privacyUrl: 'https://ledgerline.example/privacy', redirectUri: `${partnerUrl}/callback` },
    logo: readFileSync(join(examples, 'partner-app/logo.png')),
    grantLifetimeDays: 365,
  })
  await partnerAppFixture(server, partner, partnerUrl)
  const provider = await foreignProvider({
    client_id: 'latchkey',
    client_secret: 'a client secret of more than 32 bytes, for tests',
    redirect_uris: [`${server.authUrl}/login/idp/northbridge/callback`],
    post_logout_redirect_uris: [`${server.authUrl}/idp/northbridge/logged-out`],
  })
  provider.accounts.set('ada', { email: emailOf('ada'), email_verified: true })
  provider.accounts.set('eve', { email: 'eve@elsewhere.example', email_verified: true })
  await addTestProvider(server, { id: 'northbridge', name: 'Northbridge ID', issuer: provider.issuer })
  return { server, provider, mailbox, browser: await browserFixture(), partnerUrl }
}

function sampleBrand() {
  const faults: string[] = []
  const brand = readBrand(join(examples, 'brand'), faults)
  if (!brand) throw new Error(faults.join('\n'))
  return brand
}

function directory() {
  const households = families.flatMap((family) =>
    ['', ' Trust', ' & Sons', ' Foundation', ' Living Trust', ' Holdings'].map((kind, i) => ({
      id: `${family}-${i}`,
      name: `${family}${kind}`,
    })),
  )
  const accounts = households.flatMap(({ id }, i) =>
    Array.from({ length: (i % 4) + 1 }, (_, n) => ({ id: `${id}-${n}`, household: id, name: 'Savings' })),
  )
  return {
    users: ['ada', 'bob', 'cleo', 'dan'],
    households: households.map((one) => ({ ...one, id: idOf(one.id) })),
    accounts: accounts.map((one) => ({ ...one, id: idOf(one.id), household: idOf(one.household) })),
  }
}

/** Ids have ASCII characters only. */
function idOf(name: string): string {
  return encodeURIComponent(name).replaceAll('%', '.')
}

/** Called on each page with the name of what it shows. */
export type Look = (page: Page, shows: string) => Promise<void>

/** From the partner's *Connect* button to the user's households at the partner, with a login at the platform's provider. */
export async function travel({ partnerUrl }: Platform, page: Page, look: Look): Promise<void> {
  await page.goto(partnerUrl)
  await page.getByRole('button', { name: 'Connect' }).click()
  const toProvider = page.locator('form[action="/login/idp/northbridge"] button')
  await toProvider.waitFor()
  await look(page, 'login')
  await toProvider.click()
  await signInThere(page, 'ada')
  await page.locator('[value=connect]').waitFor()
  await look(page, 'connect')
  await page.locator('#see-all').click()
  await page.locator('.names').waitFor()
  await look(page, 'households')
  await page.goBack()
  await page.locator('[value=connect]').click()
  await page.waitForURL(`${partnerUrl}/**`)
  await page.locator('main a[href^="/households/"]').first().waitFor()
}

/** On the sign-in page of the platform's provider. */
export async function signInThere(page: Page, account: string): Promise<void> {
  await page.getByLabel('Account').fill(account)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** The pages of a user who is logged in, as far as the logout. */
export async function visitAccount({ server }: Platform, page: Page, look: Look): Promise<void> {
  await query(server.database, readsOfAMonth)
  for (const [shows, path] of [
    ['connected apps', 'connections'],
    ['sessions', 'sessions'],
    ['security', 'security'],
    ['authenticator app', 'security/totp'],
    ['password', 'password'],
    ['front', ''],
  ] as const) {
    await page.goto(`${server.authUrl}/${path}`)
    await look(page, shows)
  }
  await page.goto(`${server.authUrl}/connections`)
  await page.locator('.app-actions a').first().click()
  await page.locator('form[action="/connections/disconnect"]').waitFor()
  await look(page, 'disconnect')
  await page.goto(`${server.authUrl}/sessions`)
  await page.locator('form[action="/logout"] button').first().click()
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  await page.waitForURL(`${server.authUrl}/**`)
  await look(page, 'logged out')
}

const readsOfAMonth = `
  INSERT INTO grant_reads (grant_id, day, requests, households, accounts)
  SELECT id, current_date - day, 3 + day * 7 % 11, 84 - day * 37 % 60, 210 - day * 83 % 170
    FROM grants, generate_series(1, 29) AS day
      ON CONFLICT DO NOTHING`

/** The pages of a user who is not logged in, and what a user sees when something fails. */
export async function visitOthers(platform: Platform, page: Page, look: Look): Promise<void> {
  const { server } = platform
  await page.goto(server.authUrl)
  await look(page, 'welcome')
  await page.goto(`${server.authUrl}/login`)
  // Another address each time, because failed logins are counted for each.
  await typePassword(page, `${randomUUID()}@northbridge.example`, 'not the password')
  await page.locator('#fault').waitFor()
  await look(page, 'login refused')
  await page.goto(`${server.authUrl}/password/forgotten`)
  await look(page, 'forgotten password')
  await page.locator('[name=email]').fill('stranger@northbridge.example')
  await page.locator('[name=email]').press('Enter')
  await page.waitForURL(/\/sent/)
  await look(page, 'link sent')
  await page.goto(`${server.authUrl}/no-such-page`)
  await look(page, 'no such page')
  await page.goto(`${server.authUrl}/login`)
  await typePassword(page, emailOf('bob'), password)
  await page.locator('[name=code]').first().waitFor()
  await look(page, 'second factor')
}

export async function typePassword(page: Page, email: string, secret: string): Promise<void> {
  await page.locator('[name=email]').fill(email)
  await page.locator('[name=password]').fill(secret)
  await page.locator('[name=password]').press('Enter')
}

/** What a user sees when a login at the provider does not lead to one here. */
export async function failAtProvider({ server }: Platform, page: Page, look: Look): Promise<void> {
  const start = async (id: string) => {
    await page.goto(`${server.authUrl}/login`)
    await page.locator(`form[action="/login/idp/${id}"] button`).click()
  }
  await start('northbridge')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.waitForURL(/callback/)
  await look(page, 'cancelled at the provider')
  await start('northbridge')
  await signInThere(page, 'eve')
  await page.waitForURL(/callback/)
  await look(page, 'no account here')
  // Nothing listens on port 9.
  await addTestProvider(server, { id: 'down', name: 'Northbridge ID', issuer: 'http://127.0.0.1:9' })
  await start('down')
  await page.waitForURL(/\/login\/idp\/down/)
  await query(server.database, `DELETE FROM identity_providers WHERE id = 'down'`)
  await look(page, 'provider down')
}

import { createHmac } from 'node:crypto'
import { emailOf, password } from './directory.ts'
import type { TestServer } from './server.ts'
import { type CeremonyOptions, SoftAuthenticator } from './soft-authenticator.ts'
import { type Page, Visitor } from './visitor.ts'

/** RFC 6238 with SHA-1, six digits and thirty seconds, written from the RFC and not from the server's library. */
export function totp(secret: string, at: Date): string {
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const bytes = bits.join('').match(/.{8}/g) ?? []
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at.getTime() / 30_000)))
  const mac = createHmac('sha1', Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))))
    .update(counter)
    .digest()
  const code = (mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fffffff) % 1_000_000
  return String(code).padStart(6, '0')
}

/** The code that an app shows now, after moving the clock to the next step: a code counts only once. */
export function nextCode(server: TestServer, secret: string): string {
  server.advanceClock(30)
  return totp(secret, server.context.now())
}

/** The key on a page that sets up an authenticator app. */
export function keyOn(page: Page): string {
  const key = page.document
    .querySelectorAll('code')
    .find(({ text }) => /^([A-Z2-7]{4} )+[A-Z2-7]{4}$/.test(text))
  if (!key) throw new Error(`no key on: ${page.text}`)
  return key.text.replaceAll(' ', '')
}

export function codesOn(page: Page): string[] {
  return page.document.querySelectorAll('.recovery-codes code').map(({ text }) => text)
}

export type EnrolledTotp = { secret: string; codes: string[] }

/** Sets up an authenticator app on the page Security. */
export async function addTotp(server: TestServer, visitor: Visitor): Promise<EnrolledTotp> {
  const page = await visitor.get(`${server.authUrl}/security/totp`)
  const secret = keyOn(page)
  const done = await visitor.submit(page, '/security/totp', { code: nextCode(server, secret) })
  return { secret, codes: codesOn(done) }
}

/** The options of the form on a page that uses or makes a passkey. */
export function optionsOn(page: Page, action: string): CeremonyOptions {
  const form = page.document
    .querySelectorAll('form[data-passkey]')
    .find((found) => found.getAttribute('action') === action)
  return JSON.parse(form?.getAttribute('data-options') ?? 'null')
}

/** Adds a passkey on the page Security. @returns the next page */
export async function addPasskey(
  server: TestServer,
  visitor: Visitor,
  device: SoftAuthenticator,
): Promise<Page> {
  const page = await visitor.get(`${server.authUrl}/security`)
  const credential = device.create(optionsOn(page, '/security/passkeys'))
  return visitor.submit(page, '/security/passkeys', { credential, name: 'Test device' })
}

/** Types the password, as far as the page for the second factor. */
export async function passwordOnly(
  server: TestServer,
  userId: string,
  visitor = new Visitor(),
  query = '',
): Promise<Page> {
  const page = await visitor.get(`${server.authUrl}/login${query}`)
  return visitor.follow(await visitor.submit(page, '/login', { email: emailOf(userId), password }))
}

/** Adds a passkey and proves it in the same session. */
export async function stepUpWithPasskey(server: TestServer, visitor: Visitor): Promise<void> {
  const device = new SoftAuthenticator(server.authUrl)
  await addPasskey(server, visitor, device)
  const page = await visitor.get(`${server.authUrl}/step-up?page=security`)
  await visitor.submit(page, '/step-up', { credential: device.get(optionsOn(page, '/step-up')) })
}

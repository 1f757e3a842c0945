import { expect } from 'vitest'
import { emailOf } from './directory.ts'
import type { Mailbox } from './mailbox.ts'
import type { TestServer } from './server.ts'
import { type Page, Visitor } from './visitor.ts'

/** Fills in the page that requests a link. */
export async function requestLink(
  server: TestServer,
  email: string,
  { visitor = new Visitor(), headers = {} }: { visitor?: Visitor; headers?: Record<string, string> } = {},
): Promise<Page> {
  const page = await visitor.get(`${server.authUrl}/password/forgotten`, headers)
  return visitor.submit(page, '/password/forgotten', { email }, headers)
}

/** The link in a mail that this user has requested now. */
export async function mailedLink(server: TestServer, mailbox: Mailbox, userId: string): Promise<string> {
  expect((await requestLink(server, emailOf(userId))).status).toBe(303)
  await server.sendMails()
  return linkIn((await mailbox.next()).text)
}

/** The link that sets a password. */
export function linkIn(text: string | undefined): string {
  const [link] = /^http\S+\/password\/reset\S+$/m.exec(text ?? '') ?? []
  if (!link) throw new Error(`no link in: ${text}`)
  return link
}

/** Opens a link from a mail. @returns the form, or the page that says why there is none */
export async function openLink(link: string, visitor = new Visitor()): Promise<Page> {
  return visitor.follow(await visitor.get(link))
}

/** Opens a link and sets this password. */
export async function setByLink(link: string, password: string, visitor = new Visitor()): Promise<Page> {
  const page = await openLink(link, visitor)
  if (page.status !== 200) return page
  return visitor.submit(page, '/password/new', { new_password: password })
}

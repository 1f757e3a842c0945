import { expect } from 'vitest'
import { logIn } from './journey.ts'
import type { TestPartner, TestServer } from './server.ts'
import { type Page, redirectOf, Visitor } from './visitor.ts'

export const isLoginPage = (page: Page) => page.document.querySelector('input[name=password]') !== null

export const isConnectPage = (page: Page) => page.document.querySelector('button[value=connect]') !== null

/** The address of the link with this label; without a label, of the error page’s button. */
export function recoveryLink(page: Page, label?: string): string {
  const links = page.document.querySelectorAll(label === undefined ? 'a.button' : 'a')
  const link = links.find((candidate) => label === undefined || candidate.text.trim() === label)
  const href = link?.getAttribute('href')
  if (!href) throw new Error(`no recovery link in: ${page.text}`)
  return new URL(href, page.url).href
}

/** The confirmation page for disconnecting the app with this name, or the first app in the list. */
export async function disconnectPage(
  visitor: Visitor,
  server: Pick<TestServer, 'authUrl'>,
  app?: string,
): Promise<Page> {
  const list = await visitor.get(`${server.authUrl}/connections`)
  const cards = list.document.querySelectorAll('article')
  const card = cards.find((candidate) => app === undefined || candidate.querySelector('h2')?.text === app)
  const href = card?.querySelector('a[href^="/connections/disconnect?"]')?.getAttribute('href')
  if (!href) throw new Error(`no link to disconnect ${app ?? 'an app'} in: ${list.text}`)
  return visitor.get(new URL(href, list.url).href)
}

/** Disconnects the app with this name, or the first app in the list. */
export async function disconnect(visitor: Visitor, server: TestServer, app?: string): Promise<Page> {
  return visitor.submit(await disconnectPage(visitor, server, app), '/connections/disconnect', {})
}

/** A new browser in which this user is logged in. */
export async function loggedIn(server: TestServer, userId: string): Promise<Visitor> {
  const visitor = new Visitor()
  const page = await logIn(visitor, await visitor.get(`${server.authUrl}/login`), userId)
  expect(page.url).toBe(`${server.authUrl}/connections`)
  return visitor
}

/** The parameters of the redirect to the partner. */
export function answerOf(partner: TestPartner, page: Page): Record<string, string> {
  expect(page.status).toBe(303)
  const location = redirectOf(page)
  expect(`${location?.origin}${location?.pathname}`).toBe(partner.redirectUri)
  return Object.fromEntries(location?.searchParams ?? [])
}

/** The parameters of a plain authorization request, as a query or a body. */
export function parametersFor(
  partner: TestPartner,
  more: Record<string, string> = {},
  without: string[] = [],
): string {
  const all = new URLSearchParams({
    client_id: partner.clientId,
    redirect_uri: partner.redirectUri,
    scope: 'openid',
    response_type: 'code',
    ...more,
  })
  for (const name of without) all.delete(name)
  return all.toString()
}

/** Sends the same authorization request in each of its three forms. */
export function everyWay(server: TestServer, parameters: string): Promise<Page>[] {
  const endpoint = `${server.authUrl}/api/oauth2/authorize`
  return [
    new Visitor().get(`${endpoint}?${parameters}`),
    new Visitor().post(`${endpoint}?${parameters}`, ''),
    new Visitor().post(endpoint, parameters),
  ]
}

/** The page shows an error, and neither a header nor the page itself sends the browser elsewhere. */
export function expectErrorPage(page: Page): void {
  expect(page.status).toBe(400)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('location')).toBeNull()
  expect(page.headers.get('refresh')).toBeNull()
  const addresses = page.document
    .querySelectorAll('a[href], form, iframe, script, meta[http-equiv]')
    .map((element) => element.getAttribute('href') ?? element.getAttribute('action') ?? element.outerHTML)
  // The brand leads to the front page, the foot to the status page. The form switches the language.
  expect(addresses).toEqual(['/', '/status', '/language'])
}

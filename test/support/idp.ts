import { systemOrigin } from '../../src/audit/origin.ts'
import { addProvider, type NewProvider } from '../../src/idp/providers.ts'
import { query } from './database.ts'
import type { TestServer } from './server.ts'
import { type Page, redirectOf, Visitor } from './visitor.ts'

export const clientSecret = 'a client secret of more than 32 bytes, for tests'

/** Adds a provider as `latchkey idp add` does. */
export async function addTestProvider(
  { database, context }: TestServer,
  provider: Pick<NewProvider, 'id' | 'issuer'> & Partial<NewProvider>,
): Promise<void> {
  const outcome = await addProvider(database, systemOrigin, context.keys, {
    name: 'Northbridge',
    clientId: 'latchkey',
    authMethod: 'client_secret_basic',
    secret: clientSecret,
    algorithm: 'ES256',
    claim: 'email',
    matches: 'email',
    domains: [],
    firms: [],
    creates: undefined,
    scope: 'openid email',
    acrValues: undefined,
    ...provider,
  })
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
}

/** Presses the provider's button on a login page. @returns the page of the provider */
export async function continueWith(visitor: Visitor, page: Page, provider: string): Promise<Page> {
  return followAnywhere(visitor, await visitor.submit(page, `/login/idp/${provider}`, {}))
}

/** Logs in through the provider in a new browser. @returns the page after the login */
export async function loginThrough(
  server: TestServer,
  provider: string,
  account: string,
  visitor = new Visitor(),
): Promise<Page> {
  const login = await visitor.get(`${server.authUrl}/login?choose=account`)
  return signInAs(visitor, await continueWith(visitor, login, provider), account)
}

/** The linked accounts as `provider sub user`. */
export async function identities({ database }: TestServer): Promise<string[]> {
  const rows = await query<{ text: string }>(
    database,
    `SELECT concat_ws(' ', provider_id, sub, user_id) AS text FROM identities ORDER BY 1`,
  )
  return rows.map(({ text }) => text)
}

/** The text of a page without markup, in one line. */
export function textOf(page: Page): string {
  return (page.document.querySelector('main')?.text ?? page.text).replace(/\s+/g, ' ').trim()
}

/** Follows redirects, also to other origins and by the `Refresh` header, to the next page or the given origin. */
export async function followAnywhere(visitor: Visitor, page: Page, stopAt?: string): Promise<Page> {
  let current = page
  for (;;) {
    const next = redirectOf(current) ?? refreshOf(current)
    if (!next || (stopAt !== undefined && next.href.startsWith(stopAt))) return current
    current = await visitor.get(next.href)
  }
}

function refreshOf(page: Page): URL | undefined {
  const address = /^0; url=(.*)$/.exec(page.headers.get('refresh') ?? '')?.[1]
  return address === undefined ? undefined : new URL(address, page.url)
}

/** Signs in with this account on the provider's page, and follows redirects to the next page. */
export async function signInAs(
  visitor: Visitor,
  page: Page,
  account: string,
  stopAt?: string,
): Promise<Page> {
  const action = page.document.querySelector('form[action^="/sign-in/"]')?.getAttribute('action')
  if (!action) throw new Error(`not the provider's page: ${page.url} ${page.text}`)
  const answer = await visitor.post(new URL(action, page.url).href, { account })
  const next = await followAnywhere(visitor, answer, stopAt)
  // If another account was logged in there, the provider first ends that session.
  const confirm = next.document.querySelector('form[action$="/session/end/confirm"]')?.getAttribute('action')
  return confirm ? followAnywhere(visitor, await visitor.submit(next, confirm, {}), stopAt) : next
}

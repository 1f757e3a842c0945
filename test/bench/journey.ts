import Type, { type Static } from 'typebox'
import { Parse } from 'typebox/value'
import { type Page, redirectOf, Visitor } from '../support/visitor.ts'
import { emailOf, password, type Reader, readers } from './data.ts'
import type { Credentials, Partner } from './world.ts'

export type Addresses = { authUrl: string; baseUrl: string }

const Tokens = Type.Object({
  access_token: Type.String(),
  refresh_token: Type.String(),
  id_token: Type.Optional(Type.String()),
})

/** The user logs in once and presses *Connect* `count` times. */
export async function newCodes(
  { authUrl }: Addresses,
  { clientId, redirectUri }: Partner,
  reader: Reader,
  count: number,
): Promise<string[]> {
  const query = new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri, scope: 'openid' })
  const visitor = new Visitor()
  const codes: string[] = []
  while (codes.length < count) {
    let page = await visitor.follow(await visitor.post(`${authUrl}/api/oauth2/authorize?${query}`, ''))
    if (page.document.querySelector('input[name=password]'))
      page = await logIn(visitor, page, readers[reader].id)
    const answer = redirectOf(await visitor.submit(page, '/connect', { decision: 'connect' }))
    const code = answer?.searchParams.get('code')
    if (!code) throw new Error(`expected a code, got ${page.status}: ${page.text}`)
    codes.push(code)
  }
  return codes
}

async function logIn(visitor: Visitor, page: Page, user: string): Promise<Page> {
  return visitor.follow(await visitor.submit(page, '/login', { email: emailOf(user), password }))
}

export async function redeem(
  addresses: Pick<Addresses, 'baseUrl'>,
  partner: Partner,
  code: string,
): Promise<Static<typeof Tokens>> {
  const response = await fetch(tokenUrl(addresses), {
    method: 'POST',
    headers: form,
    body: tokenBody(partner, { grant_type: 'authorization_code', code }),
  })
  return readTokens(await response.text())
}

export function tokenUrl({ baseUrl }: Pick<Addresses, 'baseUrl'>): string {
  return `${baseUrl}oauth2/token`
}

export const form = { 'content-type': 'application/x-www-form-urlencoded' }

export function tokenBody(
  { clientId, clientSecret }: Credentials,
  parameters: Record<string, string>,
): string {
  return new URLSearchParams({
    client_id: clientId,
    client_secret: clientSecret,
    ...parameters,
  }).toString()
}

export function readTokens(body: string): Static<typeof Tokens> {
  return Parse(Tokens, JSON.parse(body))
}

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` }
}

/** The address in `Link: rel="next"`. */
export function nextOf(headers: Headers): string | undefined {
  return /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
}

import { createHash, randomBytes } from 'node:crypto'
import { emailOf, password } from './directory.ts'
import type { TestPartner, TestServer } from './server.ts'
import { type Page, redirectOf, Visitor } from './visitor.ts'

/** The addresses of a server that a journey needs. */
export type Addresses = Pick<TestServer, 'authUrl' | 'baseUrl'>

export function authorizeUrl(
  server: Addresses,
  partner: TestPartner,
  more: Record<string, string> = {},
): string {
  const query = new URLSearchParams({
    client_id: partner.clientId,
    redirect_uri: partner.redirectUri,
    scope: 'openid',
    ...more,
  })
  return `${server.authUrl}/api/oauth2/authorize?${query}`
}

/** Sends the contract's POST and follows redirects to the first page: login, or connect if the user is logged in. */
export async function authorize(
  visitor: Visitor,
  server: Addresses,
  partner: TestPartner,
  more: Record<string, string> = {},
): Promise<Page> {
  return visitor.follow(await visitor.post(authorizeUrl(server, partner, more), ''))
}

/** What a user types into the login page. */
export type Login = { email: string; password: string }

/** Submits a login page and follows redirects to the next page. */
export async function logIn(visitor: Visitor, page: Page, userId: string, secret = password): Promise<Page> {
  return submitLogin(visitor, page, { email: emailOf(userId), password: secret })
}

async function submitLogin(visitor: Visitor, page: Page, login: Login): Promise<Page> {
  return visitor.follow(await visitor.submit(page, '/login', login))
}

/** Opens an authorize address in a new browser, logs in and connects. @returns the address to which the browser is sent */
export async function connectAt(address: string, login: Login): Promise<URL> {
  const visitor = new Visitor()
  const page = await submitLogin(visitor, await visitor.follow(await visitor.get(address)), login)
  const answer = redirectOf(await visitor.submit(page, '/connect', { decision: 'connect' }))
  if (!answer) throw new Error('the connect page did not redirect')
  return answer
}

/** The whole journey. @returns the address to which the server redirects the browser */
export async function connect(
  server: Addresses,
  partner: TestPartner,
  userId: string,
  more: Record<string, string> = {},
  visitor = new Visitor(),
): Promise<URL> {
  let page = await authorize(visitor, server, partner, more)
  if (page.document.querySelector('input[name=password]')) page = await logIn(visitor, page, userId)
  const answer = redirectOf(await visitor.submit(page, '/connect', { decision: 'connect' }))
  if (!answer) throw new Error('the connect page did not redirect')
  return answer
}

export type TokenAnswer = { status: number; headers: Headers; body: Record<string, unknown> }

export type Endpoint = 'token' | 'revoke' | 'introspect'

/** A token request with the partner's credentials in a form body. */
export function token(
  server: Addresses,
  partner: TestPartner,
  parameters: Record<string, string>,
  endpoint: Endpoint = 'token',
): Promise<TokenAnswer> {
  const body = new URLSearchParams({
    client_id: partner.clientId,
    client_secret: partner.clientSecret,
    ...parameters,
  })
  return send(`${server.baseUrl}oauth2/${endpoint}`, { method: 'POST', body })
}

export function refresh(
  server: Addresses,
  partner: TestPartner,
  refreshToken: string,
  more: Record<string, string> = {},
): Promise<TokenAnswer> {
  return token(server, partner, { grant_type: 'refresh_token', refresh_token: refreshToken, ...more })
}

export type ApiAnswer = { status: number; headers: Headers; text: string; body: unknown }

export async function api(
  server: Addresses,
  path: string,
  accessToken?: string,
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  const authorization: Record<string, string> = accessToken ? { authorization: `Bearer ${accessToken}` } : {}
  const response = await fetch(`${server.baseUrl}api/v1/${path}`, {
    headers: { ...authorization, ...headers },
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text ? JSON.parse(text) : undefined,
  }
}

export async function send(url: string, init: RequestInit): Promise<TokenAnswer> {
  const response = await fetch(url, init)
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : {} }
}

export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

import { expect } from 'vitest'
import { type Endpoint, send, type TokenAnswer } from './journey.ts'
import type { TestPartner, TestServer } from './server.ts'

/** Sends a request exactly as given. `token` of journey.ts would add the partner's credentials. */
export function postForm(
  server: TestServer,
  body: Record<string, string> | string,
  headers: Record<string, string> = {},
  endpoint: Endpoint = 'token',
): Promise<TokenAnswer> {
  return send(`${server.baseUrl}oauth2/${endpoint}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
  })
}

export function postJson(
  server: TestServer,
  body: unknown,
  headers: Record<string, string> = {},
  endpoint: Endpoint = 'token',
): Promise<TokenAnswer> {
  return send(`${server.baseUrl}oauth2/${endpoint}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

export function credentials(of: TestPartner): { client_id: string; client_secret: string } {
  return { client_id: of.clientId, client_secret: of.clientSecret }
}

export function basic(user: string, secret: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` }
}

/** RFC 6749 section 5.2: the status, the code, a helpful description in the allowed characters, and no caching. */
export function expectError(answer: TokenAnswer, status: number, error: string, description: RegExp): void {
  expect(answer).toMatchObject({ status, body: { error } })
  expect(answer.body.error_description).toMatch(description)
  expect(answer.body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  expect(answer.body.request_id).toBe(answer.headers.get('x-api-request-id'))
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="[^"]+"/)
  for (const name of ['access_token', 'refresh_token', 'id_token']) {
    expect(answer.body).not.toHaveProperty(name)
  }
}

export function expectInvalidGrant(answer: TokenAnswer, description: RegExp): void {
  expectError(answer, 400, 'invalid_grant', description)
}

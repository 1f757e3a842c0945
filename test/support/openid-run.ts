import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { expect } from 'vitest'
import { type Issued, issued } from './connection.ts'
import { logIn, send } from './journey.ts'
import { answerOf, isLoginPage, parametersFor } from './pages.ts'
import type { TestPartner, TestServer } from './server.ts'
import { basic } from './token-endpoint.ts'
import { type Page, Visitor } from './visitor.ts'

export type Metadata = Record<string, string>
export type Run = { claims: JWTPayload; tokens: Issued; code: string; loggedIn: boolean }

/** A relying party that only knows the server's issuer. */
export class RelyingParty {
  readonly #partner: TestPartner
  readonly #metadata: Metadata
  readonly visitor = new Visitor()

  private constructor(partner: TestPartner, metadata: Metadata) {
    this.#partner = partner
    this.#metadata = metadata
  }

  static async discover(server: TestServer, partner: TestPartner): Promise<RelyingParty> {
    const response = await fetch(`${server.authUrl}/.well-known/openid-configuration`)
    return new RelyingParty(partner, await response.json())
  }

  /** The first page, or the response, to an authorization request. */
  async ask(more: Record<string, string> = {}): Promise<Page> {
    const query = parametersFor(this.#partner, more)
    return this.visitor.follow(await this.visitor.get(`${this.#metadata.authorization_endpoint}?${query}`))
  }

  /** The whole flow: the user logs in if necessary and consents. All results are verified. */
  async run(more: Record<string, string> = {}, userId = 'ada'): Promise<Run> {
    let page = await this.ask({ state: 'some state', ...more })
    const loggedIn = isLoginPage(page)
    if (loggedIn) page = await logIn(this.visitor, page, userId)
    if (page.status === 200) page = await this.visitor.submit(page, '/connect', { decision: 'connect' })
    const answer = answerOf(this.#partner, page)
    expect(answer).toEqual({ code: answer.code, state: 'some state', iss: this.#metadata.issuer })
    const code = answer.code ?? ''
    const tokens = issued(await this.redeem(code))
    const claims = await this.verify(tokens.idToken)
    expect(claims.nonce).toBe(more.nonce)
    expect(await this.userinfo(tokens.accessToken)).toEqual({ status: 200, body: { sub: claims.sub } })
    return { claims, tokens, code, loggedIn }
  }

  redeem(code: string) {
    return this.#token({ grant_type: 'authorization_code', code, redirect_uri: this.#partner.redirectUri })
  }

  refresh(refreshToken: string, more: Record<string, string> = {}) {
    return this.#token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...more })
  }

  async verify(idToken: string): Promise<JWTPayload> {
    const keys = createRemoteJWKSet(new URL(this.#metadata.jwks_uri ?? ''))
    const { clientId } = this.#partner
    const about = { issuer: this.#metadata.issuer ?? '', audience: clientId }
    const required = ['sub', 'exp', 'iat']
    return (await jwtVerify(idToken, keys, { ...about, requiredClaims: required })).payload
  }

  async userinfo(accessToken: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> {
    const headers = { authorization: `Bearer ${accessToken}` }
    const response = await fetch(this.#metadata.userinfo_endpoint ?? '', { headers, ...init })
    return { status: response.status, body: await response.json() }
  }

  #token(parameters: Record<string, string>) {
    const { clientId, clientSecret } = this.#partner
    return send(this.#metadata.token_endpoint ?? '', {
      method: 'POST',
      headers: basic(clientId, clientSecret),
      body: new URLSearchParams(parameters),
    })
  }
}

import { expect } from 'vitest'
import { codeFor, tokensFor } from '../connection.ts'
import { pkce, token } from '../journey.ts'
import { answerOf, isConnectPage, isLoginPage, parametersFor } from '../pages.ts'
import { redirectOf, Visitor } from '../visitor.ts'
import { ask, type Checks, eachOf, errorOf, listOf, type MetadataFixture } from './checks.ts'

/** Checks of the metadata about the authorization endpoint. */
export function authorizationChecks(fixture: MetadataFixture): Checks {
  const { server, partner, ada } = fixture

  return {
    authorization_endpoint: async (value) => {
      const parameters = parametersFor(partner)
      const visitor = new Visitor()
      for (const page of [
        await visitor.get(`${value}?${parameters}`),
        await visitor.post(String(value), parameters),
      ]) {
        expect(isLoginPage(await visitor.follow(page))).toBe(true)
      }
    },
    scopes_supported: listOf(
      {
        openid: async () => {
          const code = await codeFor(server, partner, 'ada', {
            visitor: ada,
            more: { scope: 'openid profile email' },
          })
          const { body } = await token(server, partner, { grant_type: 'authorization_code', code })
          expect(body.scope).toBe('openid')
        },
      },
      async () => expect(await errorOf(fixture, { scope: 'profile' })).toBe('invalid_scope'),
    ),
    response_types_supported: listOf(
      {
        code: async () => {
          const page = await ask(fixture, { response_type: 'code', prompt: 'none' })
          expect(Object.keys(answerOf(partner, page)).sort()).toEqual(['code', 'iss'])
        },
      },
      async () => {
        for (const type of ['token', 'id_token', 'code id_token', 'none']) {
          expect(await errorOf(fixture, { response_type: type })).toBe('unsupported_response_type')
        }
      },
    ),
    response_modes_supported: listOf(
      {
        query: async () => {
          const location = redirectOf(await ask(fixture, { response_mode: 'query', prompt: 'none' }))
          expect(location?.searchParams.get('code')).toMatch(/^lk_test_ac_/)
          expect(location?.hash).toBe('')
        },
      },
      async () => {
        for (const mode of ['fragment', 'form_post', 'jwt']) {
          expect(await errorOf(fixture, { response_mode: mode })).toBe('invalid_request')
        }
      },
    ),
    code_challenge_methods_supported: listOf(
      {
        S256: async () => {
          const { verifier, challenge } = pkce()
          for (const [tried, status] of [
            [pkce().verifier, 400],
            [verifier, 200],
          ] as const) {
            const s256 = { code_challenge: challenge, code_challenge_method: 'S256' }
            const code = await codeFor(server, partner, 'ada', { visitor: ada, more: s256 })
            const redemption = { grant_type: 'authorization_code', code, code_verifier: tried }
            expect((await token(server, partner, redemption)).status).toBe(status)
          }
        },
      },
      async () => {
        const plain = { code_challenge: pkce().verifier, code_challenge_method: 'plain' }
        expect(await errorOf(fixture, plain)).toBe('invalid_request')
      },
    ),
    prompt_values_supported: listOf({
      none: async () => {
        expect(await errorOf(fixture, { prompt: 'none' })).toBe('login_required')
        expect(answerOf(partner, await ask(fixture, { prompt: 'none' })).code).toBeDefined()
      },
      login: async () => expect(isLoginPage(await ask(fixture, { prompt: 'login' }))).toBe(true),
      consent: async () => expect(isConnectPage(await ask(fixture, { prompt: 'consent' }))).toBe(true),
      select_account: async () => {
        const page = await ask(fixture, { prompt: 'select_account' })
        expect(isConnectPage(page)).toBe(true)
        expect(page.document.querySelector('form[action="/logout"] button')?.text).toBe('Not you?')
      },
    }),
    display_values_supported: listOf({
      page: async () => expect(isConnectPage(await ask(fixture, { display: 'page' }))).toBe(true),
    }),
    ui_locales_supported: eachOf(['en', 'de', 'fr', 'es'], async (language) => {
      const page = await ask(fixture, { ui_locales: `xx ${language}` })
      expect(page.headers.get('content-language')).toBe(language)
      expect(page.document.querySelector('html')?.getAttribute('lang')).toBe(language)
    }),
    claims_parameter_supported: async (value) => {
      expect(value).toBe(false)
      const claims = JSON.stringify({ userinfo: { name: { essential: true } }, id_token: { email: null } })
      const { accessToken, idToken } = await tokensFor(server, partner, 'ada', { more: { claims } })
      const headers = { authorization: `Bearer ${accessToken}` }
      const userinfo = await (await fetch(`${server.baseUrl}oauth2/userinfo`, { headers })).json()
      expect(Object.keys(userinfo)).toEqual(['sub'])
      expect(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()).not.toContain('email')
    },
    request_parameter_supported: async (value) => {
      expect(value).toBe(false)
      expect(await errorOf(fixture, { request: 'e30.e30.' })).toBe('request_not_supported')
    },
    request_uri_parameter_supported: async (value) => {
      expect(value).toBe(false)
      expect(await errorOf(fixture, { request_uri: 'https://x.example/' })).toBe('request_uri_not_supported')
    },
    authorization_response_iss_parameter_supported: async (value) => {
      expect(value).toBe(true)
      const cancelled = await ada.submit(await ask(fixture, {}), '/connect', { decision: 'cancel' })
      for (const page of [
        await ask(fixture, { prompt: 'none' }),
        await ask(fixture, { prompt: 'none' }, new Visitor()),
        await ask(fixture, { scope: 'none' }),
        cancelled,
      ]) {
        expect(answerOf(partner, page).iss).toBe(server.authUrl)
      }
    },
  }
}

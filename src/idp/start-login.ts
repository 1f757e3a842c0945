import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
} from 'openid-client'
import type { Context } from '../context.ts'
import { redirectUriOf } from './addresses.ts'
import { isSecure, UnusableAnswer } from './bounded-fetch.ts'
import { type LoginFlow, startFlow } from './browser-flow.ts'
import type { ProviderClients } from './provider-clients.ts'
import type { Provider } from './providers.sql.ts'

/** What the login should be like. A partner's authorization request decides, or the user. */
export type LoginWish = {
  /** `login`: the user must authenticate again, even with a session at the provider. `select_account`: the user may choose. */
  prompts: ('login' | 'select_account')[]
  /** Seconds: how long ago the authentication may have been. */
  maxAge?: number | undefined
  loginHint?: string | undefined
  uiLocales: string
  acrValues: string[]
}

/**
 * Starts a login at the provider, and remembers it in this browser.
 * @param requestId id of the authorization request that the wish comes from
 * @param carried what the browser needs afterwards (`startFlow`)
 * @returns the address at the provider
 * @throws {ProviderUnavailable} @throws {IssuerChanged} @throws {UnreadableSecret} @throws {UnusableAnswer}
 */
export async function startLogin(
  context: Context,
  providers: ProviderClients,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  {
    provider,
    wish,
    requestId,
    carried,
    kind = 'login',
  }: {
    provider: Provider
    wish: LoginWish
    requestId: string | undefined
    carried: string
    kind?: LoginFlow['kind']
  },
): Promise<string> {
  return providers.use(provider, async (client) => {
    const codeVerifier = randomPKCECodeVerifier()
    const nonce = randomNonce()
    const { maxAge } = wish
    // Providers that do not know a value of `prompt` may refuse the request. All know `login`.
    const known = client.serverMetadata().prompt_values_supported
    const prompts = wish.prompts.filter((prompt) => prompt === 'login' || isListed(known, prompt))
    const acrValues = new Set([...(provider.acr_values?.split(' ') ?? []), ...wish.acrValues])
    const parameters = {
      redirect_uri: redirectUriOf(context.config, provider.id, kind),
      scope: provider.scope,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ui_locales: wish.uiLocales,
      ...(prompts.length > 0 && { prompt: prompts.join(' ') }),
      ...(maxAge !== undefined && { max_age: String(maxAge) }),
      ...(wish.loginHint && { login_hint: wish.loginHint }),
      ...(acrValues.size > 0 && { acr_values: [...acrValues].join(' ') }),
    }
    const flow = {
      kind,
      providerId: provider.id,
      nonce,
      codeVerifier,
      startedAt: context.now().getTime(),
      ...(maxAge !== undefined && { maxAge }),
      ...(requestId !== undefined && { requestId }),
    }
    const url = buildAuthorizationUrl(client, parameters)
    if (!isSecure(url)) throw new UnusableAnswer(`${url.origin} is not an https address`)
    url.searchParams.set('state', startFlow(context, request, reply, { flow, carried }))
    return url.href
  })
}

function isListed(list: unknown, value: string): boolean {
  return Array.isArray(list) && list.includes(value)
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { type ProviderFault, providerFault } from '../idp/complete-login.ts'
import type { ProviderClients } from '../idp/provider-clients.ts'
import type { Provider } from '../idp/providers.sql.ts'
import { type LoginWish, startLogin } from '../idp/start-login.ts'
import type { Texts } from '../web/languages/languages.ts'
import type { Web } from '../web/page-edge.tsx'
import type { AuthorizationRequest } from './authorization-request.ts'
import { openPageRequest } from './page-request.ts'
import { LeavingPage, sendProviderFault } from './provider-pages.tsx'
import { carriedText, type Destination } from './sealed-request.ts'

/** Sends the browser to the provider, or shows why that is not possible. */
export async function goToProvider(content: {
  context: Context
  web: Web
  providers: ProviderClients
  request: FastifyRequest
  reply: FastifyReply
  destination: Destination
  provider: Provider
  loginHint?: string
  /** The user wants to log in with another account than last time. */
  otherAccount?: boolean
  /** No form of ours led here: this is the only way to log in. */
  isOnlyWay?: boolean
}): Promise<FastifyReply> {
  const { context, web, request, reply, destination, provider } = content
  const { authorization, texts } = openPageRequest(context, request)
  const partners = authorization.kind === 'invalid' ? undefined : authorization.request
  const wish = wishOf(partners, texts, content)
  const requestId = partners?.id
  const carried = carriedText(destination)
  let address: string
  try {
    address = await startLogin(
      context,
      content.providers,
      { request, reply },
      { provider, wish, requestId, carried },
    )
  } catch (error) {
    const fault: ProviderFault | undefined = providerFault(error)
    if (!fault) throw error
    return sendProviderFault({ web, request, reply, texts, provider, destination, fault })
  }
  if (content.isOnlyWay)
    return leaveFor({ web, reply, texts, provider, address, heading: texts.login.heading })
  return reply.header('cache-control', 'no-store').redirect(address, 303)
}

/**
 * Leaves for the provider by a page of ours. A plain redirect could be the end of a chain that began with a form: one of
 * ours, or one of a partner's page. Chromium then checks the address against the `form-action` of that page.
 */
export function leaveFor(content: {
  web: Web
  reply: FastifyReply
  texts: Texts
  provider: Provider
  address: string
  heading: string
}): FastifyReply {
  const { web, reply, texts, provider, address, heading } = content
  reply.header('refresh', `0; url=${address}`)
  const body = <LeavingPage texts={texts} heading={heading} provider={provider.name} address={address} />
  return web.page({ reply, texts, title: heading, body })
}

type Wanted = { loginHint?: string; otherAccount?: boolean; destination: Destination }

function wishOf(
  partners: AuthorizationRequest | undefined,
  texts: Texts,
  { loginHint, otherAccount = false, destination }: Wanted,
): LoginWish {
  // The page Security changes how the account is protected, and is for a user who has just authenticated.
  const isLogin = partners?.prompt.includes('login') || destination.page === 'security'
  return {
    prompts: [
      ...(isLogin || otherAccount ? ['login' as const] : []),
      ...(partners?.prompt.includes('select_account') ? ['select_account' as const] : []),
    ],
    maxAge: isLogin ? 0 : partners?.maxAge,
    loginHint: loginHint ?? partners?.loginHint,
    uiLocales: partners?.uiLocales ?? texts.language,
    acrValues: partners?.acrValues ?? [],
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { buildEndSessionUrl } from 'openid-client'
import type { Context } from '../context.ts'
import { openStored, UnreadableSecret } from '../secrets/stored-secret.ts'
import { providerAddresses } from './addresses.ts'
import { isSecure } from './bounded-fetch.ts'
import { startFlow } from './browser-flow.ts'
import { providerFault } from './complete-login.ts'
import type { ProviderClients } from './provider-clients.ts'
import type { Provider } from './providers.sql.ts'

/**
 * The address that ends the user's session at the provider too (RP-Initiated Logout 1.0). Remembers the logout in this
 * browser.
 *
 * @param idToken sealed, of the session that has ended here; null if it was not kept
 * @param carried what the browser needs afterwards (`startFlow`)
 * @returns undefined if the provider has no such address or cannot be reached: the user stays logged in there
 */
export async function startProviderLogout(
  context: Context,
  providers: ProviderClients,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { provider, idToken, carried }: { provider: Provider; idToken: string | null; carried: string },
): Promise<string | undefined> {
  try {
    return await providers.use(provider, async (client) => {
      if (client.serverMetadata().end_session_endpoint === undefined) return undefined
      const hint = readableIdToken(context, idToken)
      const url = buildEndSessionUrl(client, {
        post_logout_redirect_uri: providerAddresses(context.config, provider.id).postLogoutRedirectUri,
        ...(hint && { id_token_hint: hint }),
      })
      if (!isSecure(url)) return undefined
      const flow = { kind: 'logout' as const, providerId: provider.id }
      url.searchParams.set('state', startFlow(context, request, reply, { flow, carried }))
      return url.href
    })
  } catch (error) {
    const fault = providerFault(error)
    if (!fault) throw error
    request.log.warn({
      event: 'provider_logout',
      outcome: fault.kind,
      provider: provider.id,
      reason: fault.reason,
    })
    return undefined
  }
}

function readableIdToken({ keys }: Context, sealed: string | null): string | undefined {
  if (sealed === null) return undefined
  try {
    return openStored(keys, sealed)
  } catch (error) {
    if (error instanceof UnreadableSecret) return undefined
    throw error
  }
}

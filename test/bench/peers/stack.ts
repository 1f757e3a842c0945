import { randomBytes } from 'node:crypto'
import Type from 'typebox'
import { Parse } from 'typebox/value'
import type { Addresses } from '../journey.ts'
import type { Credentials, Partner, World } from '../world.ts'
import type { CodesWanted, ProviderSettings } from './oidc-provider.ts'
import type { ListingSettings } from './orm-listing.ts'
import { startPeer } from './peer.ts'

export const stackName = 'oidc-provider, Fastify + ORM'

/** `oidc-provider` and a listing that introspects its tokens: two processes, as in a deployment, so each can use a core. */
export type Stack = {
  provider: { pid: number; addresses: Pick<Addresses, 'baseUrl'> }
  listing: { pid: number; url: string }
  partner: Partner
  /** The client that may introspect tokens: the listing's. */
  introspecting: Credentials
  newCodes(user: string, count: number): Promise<string[]>
  stop(): void
}

export async function startStack({ databaseUrl, partner: { redirectUri } }: World): Promise<Stack> {
  const secret = () => randomBytes(32).toString('base64url')
  const partner = { clientId: 'bench', clientSecret: secret(), redirectUri }
  const introspecting = { clientId: 'listing', clientSecret: secret() }
  const settings: ProviderSettings = {
    databaseUrl,
    clients: [
      {
        client_id: partner.clientId,
        client_secret: partner.clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_post',
      },
      {
        client_id: introspecting.clientId,
        client_secret: introspecting.clientSecret,
        redirect_uris: [],
        response_types: [],
        grant_types: [],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
  }
  const [provider, listing] = [startPeer('oidc-provider'), startPeer('orm-listing')]
  const issuer = String(await provider.ask(settings))
  const introspection = { url: `${issuer}/oauth2/introspect`, ...introspecting }
  const origin = String(await listing.ask({ databaseUrl, introspection } satisfies ListingSettings))
  return {
    provider: { pid: provider.pid, addresses: { baseUrl: `${issuer}/` } },
    listing: { pid: listing.pid, url: `${origin}/households` },
    ...{ partner, introspecting },
    newCodes: async (user, count) =>
      Parse(Type.Array(Type.String()), await provider.ask({ user, count } satisfies CodesWanted)),
    stop: () => {
      listing.stop()
      provider.stop()
    },
  }
}

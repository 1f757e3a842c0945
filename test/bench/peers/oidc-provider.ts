/**
 * The authorization server of the stack of standard parts: `oidc-provider` on PostgreSQL. The first message contains its
 * settings; the reply is its address. Each later message requests authorization codes.
 */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import Provider, { type Account, type ClientMetadata, type Configuration } from 'oidc-provider'
import pg from 'pg'
import { connections } from '../load.ts'
import { createTable, PostgresAdapter } from './postgres-adapter.ts'

export type ProviderSettings = { databaseUrl: string; clients: ClientMetadata[] }
/** Requests codes for the first of the clients. */
export type CodesWanted = { user: string; count: number }

// The provider requires Node 22. This function is the only part of it that it needs and Node 20 lacks.
if (!('parse' in URL)) {
  const parse = (url: string) => (URL.canParse(url) ? new URL(url) : null)
  Object.defineProperty(URL, 'parse', { value: parse })
}

process.once('message', async ({ databaseUrl, clients }: ProviderSettings) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections })
  await pool.query(createTable)
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const provider = new Provider(issuer, configuration(pool, clients))
  server.on('request', provider.callback())
  process.on('message', async (wanted: CodesWanted) =>
    process.send?.(await makeCodes(provider, clients[0]?.client_id ?? '', wanted)),
  )
  process.send?.(issuer)
})
process.on('disconnect', () => process.exit())

/** Opaque tokens, rotating refresh tokens, id_tokens signed with RS256; every other feature is off. */
function configuration(pool: pg.Pool, clients: ClientMetadata[]): Configuration {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    clients,
    adapter: (model) => new PostgresAdapter(pool, model),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] },
    cookies: { keys: [randomUUID()] },
    routes: { token: '/oauth2/token', introspection: '/oauth2/introspect' },
    scopes: ['openid'],
    findAccount: (_context, id) => findAccount(pool, id),
    allowOmittingSingleRegisteredRedirectUri: true,
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    expiresWithSession: async () => false,
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: 60,
      IdToken: 3600,
      RefreshToken: 30 * 86_400,
      Grant: 365 * 86_400,
    },
    features: {
      introspection: {
        enabled: true,
        allowedPolicy: async (_context, client) => client.clientId === clients[1]?.client_id,
      },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
  }
}

/** A disabled user gets no more tokens, as in Latchkey. */
async function findAccount(pool: pg.Pool, id: string): Promise<Account | undefined> {
  const text = `SELECT FROM users WHERE id = $1 AND status = 'active'`
  const { rowCount } = await pool.query({ name: 'peer_user', text, values: [id] })
  return rowCount === 1 ? { accountId: id, claims: () => ({ sub: id }) } : undefined
}

/** Creates codes as the authorization endpoint does after consent. Its pages are not measured. */
async function makeCodes(
  provider: Provider,
  clientId: string,
  { user, count }: CodesWanted,
): Promise<string[]> {
  const client = await provider.Client.find(clientId)
  if (!client) throw new Error(`there is no client ${clientId}`)
  const code = async () => {
    const grant = new provider.Grant({ accountId: user, clientId })
    grant.addOIDCScope('openid')
    const properties = {
      client,
      accountId: user,
      grantId: await grant.save(),
      gty: 'authorization_code',
      redirectUri: client.redirectUris?.[0],
      scope: 'openid',
      authTime: Math.floor(Date.now() / 1000),
    }
    return new provider.AuthorizationCode(properties).save()
  }
  return Promise.all(Array.from({ length: count }, code))
}

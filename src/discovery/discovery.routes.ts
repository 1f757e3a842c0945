import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { passwordAcr } from '../tokens/id-token.ts'
import { jwksMaxAgeSeconds } from './lifetimes.ts'
import { signingAlgorithms } from './signing-keys.ts'

/** OpenID Connect Discovery and RFC 8414: only what is true of this server. */
export function discoveryRoutes(app: FastifyInstance, { config, keyring }: Context): void {
  const metadata = {
    issuer: config.authUrl,
    authorization_endpoint: `${config.authUrl}/api/oauth2/authorize`,
    token_endpoint: `${config.baseUrl}oauth2/token`,
    revocation_endpoint: `${config.baseUrl}oauth2/revoke`,
    jwks_uri: `${config.authUrl}/.well-known/jwks.json`,
    scopes_supported: ['openid'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: signingAlgorithms,
    acr_values_supported: [passwordAcr],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: ['none', 'login', 'consent'],
    claims_supported: ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'at_hash'],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
  }
  for (const name of ['openid-configuration', 'oauth-authorization-server']) {
    app.get(`/.well-known/${name}`, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=3600').send(metadata),
    )
  }
  app.get('/.well-known/jwks.json', async (_request, reply) => {
    const keys = await keyring.published()
    return reply.header('cache-control', `public, max-age=${jwksMaxAgeSeconds}`).send({ keys })
  })
}

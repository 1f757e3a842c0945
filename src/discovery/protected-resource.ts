import type { Config } from '../config.ts'

/** RFC 9728: by this a client that knows the API alone, and was refused there, finds the authorization server. */
export function resourceMetadata({ authUrl, baseUrl }: Config) {
  return {
    resource: baseUrl,
    resource_name: 'Latchkey Partner API',
    authorization_servers: [authUrl],
    scopes_supported: ['openid'],
    bearer_methods_supported: ['header'],
  }
}

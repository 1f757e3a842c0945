import type { Config } from '../config.ts'

/** The path of the API's own metadata: between the host and the path of what it describes (RFC 9728 section 3.1). */
export function resourceMetadataPath({ baseUrl }: Config): string {
  return `/.well-known/oauth-protected-resource${new URL(baseUrl).pathname}`
}

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

import type { Config } from '../config.ts'
import type { LoginFlow } from './browser-flow.ts'

/**
 * The addresses to register at a provider. Each provider has its own redirect URI, so that an answer of one provider cannot
 * pass for that of another (RFC 9700 section 4.4.2).
 */
export function providerAddresses({ authUrl, admin }: Pick<Config, 'authUrl' | 'admin'>, id: string) {
  return {
    redirectUri: `${authUrl}/login/idp/${id}/callback`,
    /** Only for providers through which operators log in. */
    operatorRedirectUri: `${admin.url}/admin/login/idp/${id}/callback`,
    /** Only for providers through which developers log in. */
    developerRedirectUri: `${authUrl}/developers/login/idp/${id}/callback`,
    postLogoutRedirectUri: `${authUrl}/idp/${id}/logged-out`,
    backchannelLogoutUri: `${authUrl}/idp/${id}/backchannel-logout`,
    /** For `private_key_jwt`. */
    jwksUri: `${authUrl}/idp/${id}/jwks.json`,
  }
}

/** To where the provider sends the browser back from a login. */
export function redirectUriOf(
  config: Pick<Config, 'authUrl' | 'admin'>,
  id: string,
  kind: LoginFlow['kind'],
): string {
  const { redirectUri, operatorRedirectUri, developerRedirectUri } = providerAddresses(config, id)
  return {
    login: redirectUri,
    'operator-login': operatorRedirectUri,
    'developer-login': developerRedirectUri,
  }[kind]
}

import type { Config } from '../config.ts'

/**
 * The addresses to register at a provider. Each provider has its own redirect URI, so that an answer of one provider cannot
 * pass for that of another (RFC 9700 section 4.4.2).
 */
export function providerAddresses({ authUrl, admin }: Pick<Config, 'authUrl' | 'admin'>, id: string) {
  return {
    redirectUri: `${authUrl}/login/idp/${id}/callback`,
    /** Only for providers through which operators log in. */
    operatorRedirectUri: `${admin.url}/admin/login/idp/${id}/callback`,
    postLogoutRedirectUri: `${authUrl}/idp/${id}/logged-out`,
    backchannelLogoutUri: `${authUrl}/idp/${id}/backchannel-logout`,
    /** For `private_key_jwt`. */
    jwksUri: `${authUrl}/idp/${id}/jwks.json`,
  }
}

import { acrValues } from '../acr.ts'
import type { Config } from '../config.ts'
import { signingAlgorithms } from '../keys/signing-keys.ts'
import { assertionAlgorithms } from '../partners/client-assertion.ts'
import { AuthMethod } from '../partners/partners.sql.ts'
import { languages } from '../web/languages/languages.ts'

const authMethods = AuthMethod.anyOf.map((method) => method.const)

/**
 * OpenID Connect Discovery section 3 and RFC 8414 section 2. test/flows/metadata.test.ts checks each value against the
 * server's behaviour.
 */
export function serverMetadata({ authUrl, baseUrl }: Config) {
  return {
    issuer: authUrl,
    authorization_endpoint: `${authUrl}/api/oauth2/authorize`,
    token_endpoint: `${baseUrl}oauth2/token`,
    userinfo_endpoint: `${baseUrl}oauth2/userinfo`,
    end_session_endpoint: `${authUrl}/api/oauth2/logout`,
    revocation_endpoint: `${baseUrl}oauth2/revoke`,
    introspection_endpoint: `${baseUrl}oauth2/introspect`,
    jwks_uri: `${authUrl}/.well-known/jwks.json`,
    scopes_supported: ['openid'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: authMethods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    revocation_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    introspection_endpoint_auth_methods_supported: authMethods,
    introspection_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: signingAlgorithms,
    acr_values_supported: acrValues,
    claim_types_supported: ['normal'],
    claims_supported: ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'at_hash'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    display_values_supported: ['page'],
    ui_locales_supported: languages,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
  }
}

/** RFC 9728: a client that knows only the API, and got 401 there, finds the authorization server in this document. */
export function resourceMetadata({ authUrl, baseUrl, brand }: Config) {
  return {
    resource: baseUrl,
    resource_name: `${brand.name} Partner API`,
    authorization_servers: [authUrl],
    scopes_supported: ['openid'],
    bearer_methods_supported: ['header'],
  }
}

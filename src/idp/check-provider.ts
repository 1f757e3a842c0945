import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  ResponseBodyError,
} from 'openid-client'
import type { Config } from '../config.ts'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import Type, { Compile } from '../typebox.ts'
import { providerAddresses } from './addresses.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { providerFault } from './complete-login.ts'
import { discover, reasonOf, requestSeconds } from './provider-clients.ts'
import type { Provider } from './providers.sql.ts'

/** What one check found. A fault says what to do. */
export type ProviderCheck = { check: string; ok: boolean; detail: string }

type Subject = { provider: Provider; config: Config; client: Configuration }

/** Reads what a login needs from the provider, and reports each fault. Logs no one in and changes nothing. */
export async function* checkProvider(
  provider: Provider,
  config: Config,
  keys: SecretKeys,
): AsyncGenerator<ProviderCheck> {
  let client: Configuration
  try {
    client = await discover(provider, keys)
  } catch (error) {
    yield { check: 'metadata', ok: false, detail: `${reasonOf(error)}. ${discoveryRemedy(error)}` }
    return
  }
  const subject = { provider, config, client }
  yield passed('metadata', `read, and its issuer is ${provider.issuer}`)
  yield checkSignatures(subject)
  yield await checkKeys(subject)
  yield checkAuthMethod(subject)
  yield await checkCredential(subject)
  yield await checkRedirectUri(subject)
  yield checkClaims(subject)
  yield describeLogout(subject)
}

function discoveryRemedy(error: unknown): string {
  switch (providerFault(error)?.kind) {
    case 'unavailable':
      return 'Check the issuer and that this machine can reach it: /.well-known/openid-configuration below the issuer must answer'
    case 'misconfigured':
      return 'Remove the provider, and add it with the issuer that its metadata names, or store the client secret again'
    default:
      return 'Check the issuer'
  }
}

/** Signatures with the client secret are not accepted. */
function checkSignatures({ client }: Subject): ProviderCheck {
  const listed = client.serverMetadata().id_token_signing_alg_values_supported ?? ['RS256']
  const usable = listed.filter((algorithm) => !/^(HS|none)/.test(algorithm))
  if (usable.length > 0) return passed('id_token', `signed with ${usable.join(', ')}`)
  return {
    check: 'id_token',
    ok: false,
    detail: `the provider signs with ${listed.join(', ')} only. Let it sign with RS256 or ES256`,
  }
}

const Jwks = Compile(
  Type.Object({ keys: Type.Array(Type.Object({ kty: Type.String(), use: Type.Optional(Type.String()) })) }),
)

async function checkKeys({ client }: Subject): Promise<ProviderCheck> {
  const address = client.serverMetadata().jwks_uri ?? ''
  try {
    const response = await get(address)
    const found: unknown = await response.json()
    const count = Jwks.Check(found) ? found.keys.filter(({ use = 'sig' }) => use === 'sig').length : 0
    if (response.ok && count > 0) return passed('keys', `${count} at ${address}`)
    return {
      check: 'keys',
      ok: false,
      detail: `${address} answered ${response.status} with ${count} usable keys`,
    }
  } catch (error) {
    return { check: 'keys', ok: false, detail: `${address || 'jwks_uri'} cannot be read: ${reasonOf(error)}` }
  }
}

function checkAuthMethod({ provider, client }: Subject): ProviderCheck {
  const listed = client.serverMetadata().token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  if (listed.includes(provider.auth_method)) return passed('auth method', provider.auth_method)
  return {
    check: 'auth method',
    ok: false,
    detail: `the provider supports ${listed.join(', ')}, not ${provider.auth_method}. Remove it, and add it with --auth-method`,
  }
}

/** A code that does not exist: a provider that accepts the client answers `invalid_grant` (RFC 6749 section 5.2). */
async function checkCredential({ provider, config, client }: Subject): Promise<ProviderCheck> {
  const callback = new URL(providerAddresses(config, provider.id).redirectUri)
  callback.search = new URLSearchParams({ code: 'latchkey-idp-test', iss: provider.issuer }).toString()
  try {
    await authorizationCodeGrant(client, callback, { pkceCodeVerifier: 'latchkey-idp-test'.repeat(3) })
  } catch (error) {
    if (error instanceof ResponseBodyError && error.error === 'invalid_grant') {
      return passed('client', 'the provider accepts the client and its credential')
    }
    const reason = providerFault(error)?.reason ?? reasonOf(error)
    return { check: 'client', ok: false, detail: `${reason}. ${credentialRemedy(provider)}` }
  }
  return { check: 'client', ok: false, detail: 'the provider accepted a code that does not exist' }
}

function credentialRemedy({ id, auth_method: method }: Provider): string {
  return method === 'private_key_jwt'
    ? 'Register the address of the public keys at the provider: `latchkey idp show` prints it'
    : `Check the client id, and store the client secret again: latchkey idp set-credential ${id}`
}

/** Starts a login without a user. A provider refuses an unknown redirect URI with an error page. */
async function checkRedirectUri({ provider, config, client }: Subject): Promise<ProviderCheck> {
  const { redirectUri } = providerAddresses(config, provider.id)
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' // the example of RFC 7636, appendix B
  const parameters = { redirect_uri: redirectUri, scope: provider.scope, state: 'test', nonce: 'test' }
  const url = buildAuthorizationUrl(client, {
    ...parameters,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  try {
    const { status, headers } = await get(url.href)
    const location = headers.get('location') ?? ''
    const error = URL.canParse(location) ? new URL(location).searchParams.get('error') : null
    const isFine = status < 400 && (error === null || error.endsWith('_required'))
    if (isFine) return passed('redirect URI', `the provider does not refuse ${redirectUri}`)
    const answer = error === null ? `status ${status}` : `the error ${error}`
    return { check: 'redirect URI', ok: false, detail: `answered with ${answer}. Register ${redirectUri}` }
  } catch (error) {
    return { check: 'redirect URI', ok: false, detail: reasonOf(error) }
  }
}

function checkClaims({ provider, client }: Subject): ProviderCheck {
  const { claims_supported: listed, scopes_supported: scopes } = client.serverMetadata()
  const missing = Array.isArray(scopes)
    ? provider.scope.split(' ').filter((scope) => !scopes.includes(scope))
    : []
  if (missing.length > 0) {
    return { check: 'claim', ok: false, detail: `the provider does not list the scope ${missing.join(', ')}` }
  }
  if (Array.isArray(listed) && !listed.includes(provider.claim)) {
    return passed(
      'claim',
      `the provider does not list ${provider.claim}. If logins find no user, link users by hand`,
    )
  }
  return passed('claim', `${provider.claim} is matched with the ${provider.matches} of users`)
}

function describeLogout({ client }: Subject): ProviderCheck {
  const { end_session_endpoint: endSession, backchannel_logout_supported: backchannel } =
    client.serverMetadata()
  return passed(
    'logout',
    [
      endSession ? 'a logout here ends the session there' : 'users stay logged in there after a logout here',
      backchannel === true
        ? 'a logout there ends sessions here'
        : 'the provider does not announce back-channel logout',
    ].join('; '),
  )
}

function get(address: string): Promise<Response> {
  return boundedFetch(address, {
    method: 'GET',
    headers: { accept: '*/*' },
    signal: AbortSignal.timeout(requestSeconds * 1000),
  })
}

function passed(check: string, detail: string): ProviderCheck {
  return { check, ok: true, detail }
}

import { Compile } from '../typebox.ts'
import { checkVisible } from '../visible-text.ts'
import { AuthMethod } from './partners.sql.ts'
import { redirectUriFault } from './redirect-uri.ts'

// Each function returns the faults of a setting of a partner: sentences for the operator.

const authMethod = Compile(AuthMethod)

export function nameFaults(name: string): string[] {
  if (!/^[^\p{Cc}]{1,100}$/u.test(name)) {
    return ['The name must have 1 to 100 characters, without control characters.']
  }
  const fault = checkVisible(name)
  return fault ? [`The name ${fault}.`] : []
}

/** Addresses of each kind that a partner may have. */
const mostUris = 100

/** The addresses to which users return. Undefined: they do not change. */
export function addressFaults({
  redirectUris,
  postLogoutRedirectUris = [],
}: {
  redirectUris?: string[] | undefined
  postLogoutRedirectUris?: string[] | undefined
}): string[] {
  return [
    ...(redirectUris?.length === 0 ? ['At least one redirect URI is required.'] : []),
    ...uriFaults('Redirect URI', redirectUris ?? []),
    ...uriFaults('Post-logout redirect URI', postLogoutRedirectUris),
  ]
}

function uriFaults(what: string, uris: string[]): string[] {
  return [
    ...(uris.length > mostUris ? [`${what}s: a partner has at most ${mostUris}.`] : []),
    ...uris.flatMap((uri) => {
      const fault = redirectUriFault(uri)
      return fault ? `${what} ${JSON.stringify(uri)} ${fault}.` : []
    }),
  ]
}

/** `hasKeys`: whether the partner has keys for private_key_jwt, or gets some. */
export function methodFaults(authMethods: string[], hasKeys: boolean): string[] {
  const unknown = authMethods.filter((method) => !authMethod.Check(method))
  const signs = authMethods.includes('private_key_jwt')
  return [
    ...unknown.map((method) => `There is no authentication method ${JSON.stringify(method)}.`),
    ...(authMethods.length === 0 ? ['At least one authentication method is required.'] : []),
    ...(signs && !hasKeys ? ['private_key_jwt needs a JWKS with the public keys of the partner.'] : []),
    ...(hasKeys && !signs ? ['A JWKS is only for partners that authenticate with private_key_jwt.'] : []),
  ]
}

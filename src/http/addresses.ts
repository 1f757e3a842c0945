import type { FastifyInstance } from 'fastify'
import { errorPageAddress, type OAuthErrorCode, type ProblemCode } from '../errors/catalogue.ts'

/** The public addresses of this deployment. */
type Addresses = { authUrl: string; baseUrl: string }

const addresses = Symbol('addresses')

/** Tells the error edges the addresses of this deployment, so that an error can name its page and other addresses. */
export function decorateAddresses(app: FastifyInstance, { authUrl, baseUrl }: Addresses): void {
  app.decorate(addresses, { authUrl, baseUrl } satisfies Addresses)
}

/** The address of the page of a code. `anchor`: a cause on it. */
export function errorAddress(
  app: FastifyInstance,
  code: ProblemCode | OAuthErrorCode,
  anchor?: string,
): string {
  return errorPageAddress(app.getDecorator<Addresses>(addresses).baseUrl, code, anchor)
}

/** A sentence with the address that a request for an unknown address may mean, after a space. Empty if there is none. */
export function addressHint(app: FastifyInstance, url: string): string {
  const { authUrl, baseUrl } = app.getDecorator<Addresses>(addresses)
  const base = new URL(baseUrl).pathname
  const path = url.split('?', 1)[0] ?? ''
  const below = path.toLowerCase().startsWith(base) ? path.slice(base.length) : path
  const operation = operationFor(below.toLowerCase())
  if (operation === undefined || operation === below) return ''
  if (operation === 'authorize') return ` Did you mean ${authUrl}/api/oauth2/authorize?`
  return ` Did you mean ${baseUrl}${operation}?`
}

/** The operation of the API or of OAuth that a path resembles. Only the words of the path count, and nothing of it is shown. */
function operationFor(path: string): string | undefined {
  const words = path.split('/').filter((word) => word !== '' && word !== 'api' && word !== 'rest')
  const version = /^v\d+$/.test(words[0] ?? '') ? words.shift() : undefined
  if (/^(oauth2?|openid|connect)$/.test(words[0] ?? '')) words.shift()
  const [first = '', second, third] = words
  if (words.length === 1) {
    const known = single.find(([pattern]) => pattern.test(first))?.[1]
    if (known !== undefined) return (version ?? 'v1') === 'v1' ? known : known.replace('v1', 'v2')
  }
  if (!/^households?$/.test(first) || second === undefined) return undefined
  if (words.length === 2) return 'api/v2/households/{household_id}'
  return words.length === 3 && /^accounts?$/.test(third ?? '')
    ? 'api/v1/households/{household_id}/accounts'
    : undefined
}

const single: [RegExp, string][] = [
  [/^households?$/, 'api/v1/households'],
  [/^accounts?$/, 'api/v2/accounts'],
  [/^tokens?$/, 'oauth2/token'],
  [/^revo(ke|cation)$/, 'oauth2/revoke'],
  [/^introspect(ion)?$/, 'oauth2/introspect'],
  [/^user-?info$/, 'oauth2/userinfo'],
  [/^authori[sz](e|ation)$/, 'authorize'],
  [/^(openapi|swagger)(\.(json|ya?ml))?$/, 'openapi.json'],
]

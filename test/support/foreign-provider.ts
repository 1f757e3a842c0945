import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import Provider, { type ClientMetadata, errors } from 'oidc-provider'
import { afterAll } from 'vitest'
import { onFreePort } from './ports.ts'
import { type Page, redirectOf, type Visitor } from './visitor.ts'

/** An account at the foreign provider. The claims are what it says about the user. */
export type ForeignAccount = {
  email?: string
  email_verified?: boolean
  name?: string
  [claim: string]: unknown
}

export type ForeignProvider = {
  issuer: string
  /** The accounts by their `sub`. A test may change them. */
  accounts: Map<string, ForeignAccount>
  /** The parameters of all authorization requests so far. */
  requests: Record<string, unknown>[]
  /** How the next logins authenticate the user. */
  method: { acr?: string; amr?: string[] }
  close(): Promise<void>
}

/** `oidc-provider`, a certified OpenID Provider, with one client. It is closed after the file's last test. */
export async function foreignProvider(client: (issuer: string) => Promise<ClientMetadata> | ClientMetadata) {
  const accounts: ForeignProvider['accounts'] = new Map()
  const requests: ForeignProvider['requests'] = []
  const method: ForeignProvider['method'] = {}
  const pair = await generateKeyPair('ES256', { extractable: true })
  const key: JWK = { ...(await exportJWK(pair.privateKey)), kid: 'foreign', alg: 'ES256', use: 'sig' }
  const { server, issuer } = await onFreePort(async (port) => {
    const issuer = `http://127.0.0.1:${port}`
    const provider = new Provider(issuer, {
      clients: [{ id_token_signed_response_alg: 'ES256', ...(await client(issuer)) }],
      jwks: { keys: [key] },
      cookies: { keys: ['a key for tests'] },
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: ['name'],
        acr: null,
        auth_time: null,
      },
      acrValues: ['urn:example:mfa'],
      features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
      enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
      interactions: { url: (_context, interaction) => `/sign-in/${interaction.uid}` },
      findAccount: (_context, sub) => ({
        accountId: sub,
        claims: () => ({ ...accounts.get(sub), sub }),
      }),
      async loadExistingGrant({ oidc }) {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client?.clientId ?? '',
          accountId: oidc.session?.accountId ?? '',
        })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
    })
    provider.on('authorization.success', ({ oidc }) => requests.push({ ...oidc.params }))
    const server = createServer((request, response) => {
      if (!request.url?.startsWith('/sign-in/')) return provider.callback()(request, response)
      if (request.method === 'GET') {
        response.setHeader('content-type', 'text/html')
        return response.end(`<form method="post" action="${request.url}"></form>`)
      }
      return signIn(provider, request, response, method)
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
    return { server, issuer }
  })
  const close = () => closed(server)
  afterAll(close)
  return { issuer, accounts, requests, method, close } satisfies ForeignProvider
}

/** The account that the form names is logged in. Without one, the user cancels. */
async function signIn(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  method: ForeignProvider['method'],
): Promise<void> {
  let body = ''
  for await (const piece of request) body += piece
  const form = new URLSearchParams(body)
  const account = form.get('account')
  const result = account
    ? { login: { accountId: account, ...method } }
    : { error: form.get('error') ?? 'access_denied', error_description: 'the user cancelled' }
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
}

export function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

export { errors as foreignErrors }

/** Follows redirects, also to other origins and by the `Refresh` header, to the next page or the given origin. */
export async function followAnywhere(visitor: Visitor, page: Page, stopAt?: string): Promise<Page> {
  let current = page
  for (;;) {
    const next = redirectOf(current) ?? refreshOf(current)
    if (!next || (stopAt !== undefined && next.href.startsWith(stopAt))) return current
    current = await visitor.get(next.href)
  }
}

function refreshOf(page: Page): URL | undefined {
  const address = /^0; url=(.*)$/.exec(page.headers.get('refresh') ?? '')?.[1]
  return address === undefined ? undefined : new URL(address, page.url)
}

/** Signs in with this account on the provider's page, and follows redirects to the next page. */
export async function signInAs(
  visitor: Visitor,
  page: Page,
  account: string,
  stopAt?: string,
): Promise<Page> {
  const action = page.document.querySelector('form[action^="/sign-in/"]')?.getAttribute('action')
  if (!action) throw new Error(`not the provider's page: ${page.url} ${page.text}`)
  const answer = await visitor.post(new URL(action, page.url).href, { account })
  return followAnywhere(visitor, answer, stopAt)
}

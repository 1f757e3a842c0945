import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import Provider, { type ClientMetadata, type Configuration } from 'oidc-provider'
import { afterAll } from 'vitest'
import { onFreePort } from './ports.ts'

/** An account at the foreign provider. The claims are what it says about the user. */
type ForeignAccount = {
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
  requests: Record<string, string>[]
  /** How the next logins authenticate the user. */
  method: {
    acr?: string
    amr?: string[] /** When the user authenticated: seconds since 1970. */
    ts?: number
  }
  close(): Promise<void>
}

/** `oidc-provider`, a certified OpenID Provider, with one client. It is closed after the file's last test. */
export async function foreignProvider(client: ClientMetadata): Promise<ForeignProvider> {
  const pair = await generateKeyPair('ES256', { extractable: true })
  const key: JWK = { ...(await exportJWK(pair.privateKey)), kid: 'foreign', alg: 'ES256', use: 'sig' }
  const foreign = await onFreePort(async (port) => {
    const issuer = `http://127.0.0.1:${port}`
    const accounts: ForeignProvider['accounts'] = new Map()
    const provider = new Provider(issuer, settings(client, key, accounts))
    const server = createServer()
    const foreign: ForeignProvider = {
      issuer,
      accounts,
      requests: [],
      method: {},
      close: () => closed(server),
    }
    const handle = provider.callback()
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', issuer)
      if (pathname === '/auth') foreign.requests.push(Object.fromEntries(searchParams))
      if (!pathname.startsWith('/sign-in/')) return void handle(request, response)
      if (request.method === 'POST') return void signIn(provider, request, response, foreign.method)
      response.setHeader('content-type', 'text/html').end(signInPage(pathname))
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve)
    })
    return foreign
  })
  afterAll(() => foreign.close())
  return foreign
}

function settings(client: ClientMetadata, key: JWK, accounts: ForeignProvider['accounts']): Configuration {
  const seconds = () => 3600
  return {
    clients: [{ id_token_signed_response_alg: 'ES256', ...client }],
    jwks: { keys: [key] },
    cookies: { keys: ['a key for tests'] },
    claims: {
      openid: ['sub', 'acr', 'amr', 'auth_time'],
      email: ['email', 'email_verified'],
      profile: ['name'],
    },
    acrValues: ['urn:example:mfa'],
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    interactions: { url: (_context, interaction) => `/sign-in/${interaction.uid}` },
    ttl: { Interaction: seconds, Grant: seconds, Session: seconds, AccessToken: seconds, IdToken: seconds },
    // Without its protection against loopback addresses, where the tests' servers are.
    fetch: (url, options) =>
      fetch(url, Object.fromEntries(Object.entries(options ?? {}).filter(([name]) => name !== 'dispatcher'))),
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
  }
}

const signInPage = (address: string) => `<!doctype html>
<html lang="en">
  <title>Northbridge ID</title>
  <h1>Northbridge ID</h1>
  <form method="post" action="${address}">
    <label>Account <input name="account"></label>
    <button>Sign in</button>
    <button name="error" value="access_denied">Cancel</button>
  </form>
</html>`

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

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

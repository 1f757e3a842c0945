import type { Request } from 'autocannon'
import Type from 'typebox'
import { Parse } from 'typebox/value'
import { fieldsOf, Visitor } from '../../support/visitor.ts'
import { type Contender, compare } from '../compare.ts'
import { emailOf, password, readerNames, readers } from '../data.ts'
import { form } from '../journey.ts'
import { connections, loadHttp } from '../load.ts'
import type { SignedIn } from '../peers/identity-provider.ts'
import { startIdentityProvider } from '../peers/peer.ts'
import type { Table } from '../table.ts'
import type { World } from '../world.ts'

const names = { password: 'password (argon2id)', provider: 'OpenID Provider' }
const providerId = 'bench'

/** Logins per second of a round: those through the provider are started before the round. */
const loginsPerSecond = { password: 20, provider: 200 }

/** The request that logs a browser in: the answer is the session cookie and a redirect to the connect page. */
type LoginRequest = { method: 'GET' | 'POST'; path: string; headers: Record<string, string>; body?: string }

/** The login of a user on the way from a partner to the connect page, as one request. */
export async function login(world: World): Promise<Table[]> {
  const provider = await startIdentityProvider()
  try {
    const options = ['--name', 'Bench', '--issuer', provider.issuer, '--client-id', 'latchkey']
    const added = await world.command(
      'idp',
      'add',
      providerId,
      ...options,
      '--auth-method',
      'private_key_jwt',
      '--json',
    )
    await provider.setClientKeys(Parse(Type.Object({ jwks_uri: Type.String() }), JSON.parse(added)).jwks_uri)
    const about = {
      title: 'Login',
      note:
        'One request of a browser that the account does not know: the form with the password, or the callback from the ' +
        'provider. Its answer sets the session cookie. For the callback, the server redeems the code with a client assertion ' +
        '(ES256), checks the id_token (ES256) and finds the user. The start of the login and the cost of the provider are not counted.',
      goals: [
        {
          goal: 'login: CPU of the server through an OpenID Provider against a password',
          ...({
            measure: 'serverCpu',
            of: names.provider,
            against: names.password,
            limit: { atMost: 0.25 },
          } as const),
        },
      ],
      summary: [{ of: names.provider, operation: 'login through an OpenID Provider' }],
    }
    const contenders = [
      loggingIn(names.password, world, loginsPerSecond.password, passwordLogin),
      loggingIn(names.provider, world, loginsPerSecond.provider, (visit, user) =>
        providerLogin(visit, user, world, provider.issuer),
      ),
    ]
    return [await compare(about, contenders, world.effort, world.postmaster)]
  } finally {
    provider.stop()
    await world.command('idp', 'remove', providerId)
  }
}

/** A browser on the login page: its CSRF cookie, and the hidden fields of the form with this action. */
type Visit = { cookie: string; fields(action: string): Record<string, string> }

function loggingIn(
  name: string,
  world: World,
  perSecond: number,
  requestFor: (visit: Visit, user: string) => Promise<LoginRequest>,
): Contender {
  let requests: LoginRequest[] = []
  return {
    ...{ name, pids: [world.server], fresh: true },
    prepare: async () => {
      const count = Math.max(connections, Math.ceil(perSecond * world.effort.seconds))
      const visit = await openLoginPage(world)
      requests = []
      while (requests.length < count + connections) {
        const reader = readerNames[requests.length % readerNames.length] ?? 'firm'
        requests.push(await requestFor(visit, readers[reader].id))
      }
      // The server closes idle database connections after seconds. Opening them is not part of a login.
      await Promise.all(requests.splice(count).map((request) => checkLogin(world, request)))
    },
    load: () => {
      let taken = 0
      const setupRequest = (request: Request): Request => ({ ...request, ...requests[taken++] })
      return loadHttp({
        ...{ url: world.authUrl, status: 303, amount: requests.length },
        setupClient: (client) => client.setRequests([{ setupRequest }]),
      })
    },
  }
}

/** Sends the partner's authorization request in a new browser. */
async function openLoginPage({ authUrl, partner }: World): Promise<Visit> {
  const query = new URLSearchParams({
    client_id: partner.clientId,
    redirect_uri: partner.redirectUri,
    scope: 'openid',
  })
  const visitor = new Visitor()
  const page = await visitor.follow(await visitor.post(`${authUrl}/api/oauth2/authorize?${query}`, ''))
  return { cookie: await visitor.jar.getCookieString(authUrl), fields: (action) => fieldsOf(page, action) }
}

async function passwordLogin({ cookie, fields }: Visit, user: string): Promise<LoginRequest> {
  return {
    ...{ method: 'POST', path: '/login', headers: { ...form, cookie } },
    body: new URLSearchParams({ ...fields('/login'), email: emailOf(user), password }).toString(),
  }
}

/** Starts a login. @returns the request with which the browser comes back from the provider */
async function providerLogin(
  { cookie, fields }: Visit,
  user: string,
  { authUrl }: World,
  issuer: string,
): Promise<LoginRequest> {
  const start = `/login/idp/${providerId}`
  const body = new URLSearchParams(fields(start)).toString()
  const headers = { ...form, cookie }
  const started = await fetch(`${authUrl}${start}`, { method: 'POST', redirect: 'manual', headers, body })
  await started.arrayBuffer()
  const { searchParams } = new URL(started.headers.get('location') ?? '')
  const [state, nonce] = [searchParams.get('state') ?? '', searchParams.get('nonce') ?? '']
  const signedIn: SignedIn = { user, email: emailOf(user), nonce }
  const code = Buffer.from(JSON.stringify(signedIn)).toString('base64url')
  const [flow = ''] = started.headers.getSetCookie().map((set) => set.split(';')[0] ?? '')
  const path = `${start}/callback?${new URLSearchParams({ code, state, iss: issuer })}`
  return { method: 'GET', path, headers: { cookie: `${cookie}; ${flow}` } }
}

/** @throws when the answer is not a login: a refusal may be cheaper */
async function checkLogin({ authUrl }: World, { path, ...request }: LoginRequest): Promise<void> {
  const answer = await fetch(`${authUrl}${path}`, { redirect: 'manual', ...request })
  const cookies = answer.headers.getSetCookie().join()
  if (!/latchkey-session=/.test(cookies) || !/\/connect\?/.test(answer.headers.get('location') ?? ''))
    throw new Error(`no login: ${answer.status} ${await answer.text()}`)
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { Auth, type AuthConfig } from '@auth/core'
import type { JWT } from '@auth/core/jwt'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { api } from '../support/journey.ts'
import {
  disconnect,
  households,
  logInAndConnect,
  type PartnerApp,
  startPartnerApp,
} from '../support/partner-app.ts'

declare module '@auth/core/jwt' {
  interface JWT {
    access_token?: string | undefined
    refresh_token?: string | undefined
    /** Seconds since the epoch. */
    expires_at?: number | undefined
    error?: string | undefined
  }
}

let app: PartnerApp
/** Seconds by which the partner's clock is ahead. */
let ahead = 0

beforeAll(async () => {
  app = await startPartnerApp('/auth/callback/latchkey')
  // Auth.js's sign-in page shows a logo from its own site. The tests make no requests to other machines.
  await app.page.route('https://authjs.dev/**', (route) => route.abort())
  const config = partnerConfig()
  app.serve((request, response) => {
    if (request.url?.startsWith('/auth/')) {
      answer(request, response, config).catch((error) => response.destroy(error))
    } else {
      response.end('Welcome') // Auth.js redirects here after the journey
    }
  })
})
afterAll(() => app.close())

function partnerConfig(): AuthConfig {
  const { server, partner } = app
  return {
    secret: 'of the partner',
    trustHost: true,
    basePath: '/auth',
    providers: [
      {
        id: 'latchkey',
        name: 'Latchkey',
        type: 'oidc',
        issuer: server.authUrl,
        clientId: partner.clientId,
        clientSecret: partner.clientSecret,
      },
    ],
    callbacks: {
      async jwt({ token, account }) {
        if (account) {
          const { access_token, refresh_token, expires_at } = account
          return { ...token, access_token, refresh_token, expires_at }
        }
        const now = Date.now() / 1000 + ahead
        return now < (token.expires_at ?? 0) ? token : refresh(token, now)
      },
      session: ({ session, token }) => ({
        ...session,
        access_token: token.access_token,
        refresh_token: token.refresh_token,
        error: token.error,
      }),
    },
  }
}

/** Auth.js does not refresh tokens. Its guide does this in the jwt callback, with a separate token request. */
async function refresh(token: JWT, now: number): Promise<JWT> {
  const { server, partner } = app
  const response = await fetch(`${server.baseUrl}oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: partner.clientId,
      client_secret: partner.clientSecret,
      grant_type: 'refresh_token',
      refresh_token: token.refresh_token ?? '',
    }),
  })
  const body: unknown = await response.json()
  if (!response.ok) return { ...token, error: Value.Parse(Refused, body).error }
  const { access_token, refresh_token, expires_in } = Value.Parse(Refreshed, body)
  return { ...token, access_token, refresh_token, expires_at: Math.floor(now + expires_in) }
}

const Refused = Type.Object({ error: Type.String() })
const Refreshed = Type.Object({
  access_token: Type.String(),
  refresh_token: Type.String(),
  expires_in: Type.Integer(),
})

/** Auth.js uses fetch's Request and Response. Its framework packages adapt them to node:http, as this function does. */
async function answer(request: IncomingMessage, response: ServerResponse, config: AuthConfig): Promise<void> {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value))
  const { method = 'GET', url = '/' } = request
  const body = method === 'POST' ? { body: await text(request) } : {}
  const answered = await Auth(new Request(new URL(url, app.origin), { method, headers, ...body }), config)
  response.setHeaders(answered.headers)
  response.writeHead(answered.status).end(await answered.text())
}

const Session = Type.Object({
  access_token: Type.String(),
  refresh_token: Type.String(),
  error: Type.Optional(Type.String()),
})

/** The session as the browser sees it. Reading it makes Auth.js call the jwt callback. */
async function session() {
  const response = await app.page.goto(`${app.origin}/auth/session`)
  return Value.Parse(Session, await response?.json())
}

// Auth.js has no revocation. Here the user disconnects.
test('@auth/core: its sign-in page, the journey, the session, refresh as in its guide, and disconnection by the user', async () => {
  const { server, origin, page } = app
  await page.goto(`${origin}/auth/signin`)
  await page.getByRole('button', { name: 'Sign in with Latchkey' }).click()
  await logInAndConnect(app)
  expect(await page.textContent('body')).toBe('Welcome')
  const connected = await session()
  expect(connected.error).toBeUndefined()
  expect(await api(server, 'households', connected.access_token)).toMatchObject({
    status: 200,
    body: households,
  })
  expect((await session()).access_token).toBe(connected.access_token)

  ahead += 3600
  const refreshed = await session()
  expect(refreshed.error).toBeUndefined()
  expect(refreshed.refresh_token).not.toBe(connected.refresh_token)
  expect(await api(server, 'households', refreshed.access_token)).toMatchObject({ body: households })
  expect((await session()).access_token).toBe(refreshed.access_token)

  await disconnect(app)
  for (const { access_token } of [connected, refreshed]) {
    expect(await api(server, 'households', access_token)).toMatchObject({ status: 401 })
  }
  ahead += 3600
  expect((await session()).error).toBe('invalid_grant')
})

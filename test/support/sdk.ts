import {
  type ConnectionEnded,
  createLatchkey,
  type Latchkey,
  type LatchkeyError,
  memoryStore,
  type TokenStore,
  type Tokens,
} from '../../sdk/src/index.ts'
import { type Issued, tokensFor } from './connection.ts'
import { connect } from './journey.ts'
import type { TestPartner, TestServer } from './server.ts'

export function sdkOf(
  server: TestServer,
  { clientId, clientSecret, redirectUri }: TestPartner,
  store: TokenStore = memoryStore(),
): Latchkey {
  const { authUrl, baseUrl } = server
  return createLatchkey({ authUrl, baseUrl, clientId, clientSecret, redirectUri, store })
}

/** A new connection of the user as a store keeps it. By default its access token has just expired. */
export async function tokensAtRest(
  server: TestServer,
  partner: TestPartner,
  userId: string,
  expiresAt = Date.now(),
): Promise<Tokens> {
  const { accessToken, refreshToken }: Issued = await tokensFor(server, partner, userId)
  return { accessToken, refreshToken, expiresAt }
}

/** The user logs in and presses Connect. @returns the address to which the browser comes back */
export function travelTo(url: URL, server: TestServer, partner: TestPartner, userId: string): Promise<URL> {
  return connect(server, partner, userId, Object.fromEntries(url.searchParams))
}

/** The error of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<LatchkeyError | ConnectionEnded> {
  return call.then(
    () => {
      throw new Error('the call succeeded')
    },
    (error) => error,
  )
}

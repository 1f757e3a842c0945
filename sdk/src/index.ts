import {
  type CallbackRequest,
  type ConnectAttempt,
  exchangeCode,
  type PartnerOptions,
  readCallback,
  startAttempt,
} from './authorization.ts'
import { Client } from './client.ts'
import { openConnections } from './connection.ts'
import type { TokenStore } from './store.ts'

export type { components, operations, paths } from './api.generated.ts'
export type { CallbackRequest, ConnectAttempt, PartnerOptions } from './authorization.ts'
export type {
  Account,
  AccountRemovedReason,
  Client,
  Household,
  HouseholdRemovedReason,
  Page,
  PageOptions,
  SyncOptions,
} from './client.ts'
export { ConnectionEnded, type ErrorCode, LatchkeyError } from './errors.ts'
export { fileStore } from './file-store.ts'
export type { CallOptions } from './http.ts'
export { memoryStore, type TokenStore, type Tokens } from './store.ts'
export type { SyncResult } from './sync.ts'
export { verifyWebhook, type WebhookEvent } from './webhook.ts'

export type Callback = {
  /** The request with which the browser came back to the redirect URI. */
  request: CallbackRequest
  /** What `startConnecting` gave to this browser. Undefined if the browser has none: the callback is then refused. */
  attempt: string | undefined
  /** Your own id of the connection, under which its tokens are stored. */
  key: string
}

export type Latchkey = {
  /** Send the browser to `url`, and keep `attempt` for its callback. */
  startConnecting(): ConnectAttempt
  /** Checks the callback, exchanges its code for tokens and stores them. */
  handleCallback(callback: Callback): Promise<Client>
  /** The client of a connection. If there is no connection, its calls throw `ConnectionEnded`. */
  client(key: string): Client
}

/** Call it once in a process: calls of the same object share refreshes without the store's lock. */
export function createLatchkey(options: PartnerOptions & { store: TokenStore }): Latchkey {
  const connections = openConnections(options)
  const client = (key: string) => new Client(options, connections, key)
  return {
    startConnecting: () => startAttempt(options),
    async handleCallback({ request, attempt, key }) {
      const tokens = await exchangeCode(options, readCallback(request, attempt, options))
      await connections.put(key, tokens)
      return client(key)
    },
    client,
  }
}

import type { components } from './api.generated.ts'
import { addressOf, type PartnerOptions } from './authorization.ts'
import type { Connections } from './connection.ts'
import { type CallOptions, type HttpResponse, isObject, readJson, send } from './http.ts'
import {
  isEntries,
  isEntry,
  isSyncPage,
  type PageQuery,
  readChanges,
  readPages,
  type SyncPage,
  type SyncResult,
} from './sync.ts'

export type Household = components['schemas']['Household']
export type Account = components['schemas']['Account']

type ReasonOf<Page extends { removed_reasons?: Record<string, string> }> = NonNullable<
  Page['removed_reasons']
>[string]
/** Why a household or an account is no longer visible. */
export type HouseholdRemovedReason = ReasonOf<components['schemas']['HouseholdPage']>
export type AccountRemovedReason = ReasonOf<components['schemas']['AccountPage']>

/** One page of a listing, with the numbers of its neighbours. */
export type Page<T> = { items: T[]; previous: number | undefined; next: number | undefined }

/** `page` counts from 0. `pageSize` is 1 to 1000, by default 100. */
export type PageOptions = CallOptions & { page?: number; pageSize?: number }

export type SyncOptions = CallOptions & {
  /** The `asOf` of the previous sync. Without it, the sync reads everything. */
  since?: string | undefined
}

type Get = (path: string, query: PageQuery, call: CallOptions) => Promise<HttpResponse>

/** The API on behalf of one user. Its calls throw `LatchkeyError`, and `ConnectionEnded` if the user must connect again. */
export class Client {
  readonly #get: Get
  readonly #end: (call: CallOptions) => Promise<void>

  constructor(options: PartnerOptions, connections: Connections, key: string) {
    this.#get = (path, query, call) => get(options, connections, key, { path, query, call })
    this.#end = (call) => connections.end(key, call)
  }

  /** All households that the user sees, or those with a text in their name, in the order of their ids. */
  households({ nameContains, ...call }: CallOptions & { nameContains?: string } = {}) {
    const query: PageQuery = nameContains ? { name_contains: nameContains } : {}
    return entries<Household>(this.#get, 'api/v2/households', query, call)
  }

  /** All active accounts that the user sees, in the order of their households. */
  accounts(call: CallOptions = {}) {
    return entries<Account>(this.#get, 'api/v2/accounts', {}, call)
  }

  /** The active accounts of a household that the user sees. */
  async *accountsOf(householdId: string, call: CallOptions = {}): AsyncGenerator<Account, void> {
    for (let page: number | undefined = 0; page !== undefined; ) {
      const { items, next }: Page<Account> = await this.accountsPage(householdId, {
        ...call,
        page,
        pageSize: 1000,
      })
      yield* items
      page = next
    }
  }

  async household(id: string, call: CallOptions = {}): Promise<Household> {
    const response = await this.#get(`api/v2/households/${encodeURIComponent(id)}`, {}, call)
    return readJson<Household>(response, isEntry)
  }

  /** One page by its number, for a user interface. */
  householdsPage({ namePattern, ...options }: PageOptions & { namePattern?: string } = {}) {
    const query: PageQuery = namePattern ? { name_pattern: namePattern } : {}
    return listPage<Household>(this.#get, 'api/v1/households', query, options)
  }

  /** One page by its number, for a user interface. */
  accountsPage(householdId: string, options: PageOptions = {}) {
    const path = `api/v1/households/${encodeURIComponent(householdId)}/accounts`
    return listPage<Account>(this.#get, path, {}, options)
  }

  /** All households, or what changed since the previous sync. */
  syncHouseholds({
    since,
    ...call
  }: SyncOptions = {}): Promise<SyncResult<Household, HouseholdRemovedReason>> {
    return readChanges(syncPages<Household>(this.#get, 'api/v2/households', call), since)
  }

  /** All active accounts, or what changed since the previous sync. */
  syncAccounts({ since, ...call }: SyncOptions = {}): Promise<SyncResult<Account, AccountRemovedReason>> {
    return readChanges(syncPages<Account>(this.#get, 'api/v2/accounts', call), since)
  }

  /** The id by which the server names this user to this partner. */
  async userInfo(call: CallOptions = {}): Promise<{ sub: string }> {
    return readJson(await this.#get('oauth2/userinfo', {}, call), isUserInfo)
  }

  /** Ends the connection and deletes its tokens. */
  disconnect(call: CallOptions = {}): Promise<void> {
    return this.#end(call)
  }
}

async function get(
  { baseUrl, fetch = globalThis.fetch }: PartnerOptions,
  connections: Connections,
  key: string,
  { path, query, call }: { path: string; query: PageQuery; call: CallOptions },
): Promise<HttpResponse> {
  const url = addressOf(baseUrl, path)
  url.search = new URLSearchParams(query).toString()
  const sendWith = (accessToken: string) => {
    const headers = { authorization: `Bearer ${accessToken}` }
    return send(fetch, { ...call, method: 'GET', url, headers, idempotent: true })
  }
  const accessToken = await connections.accessToken(key)
  const response = await sendWith(accessToken)
  if (response.status !== 401) return response
  return sendWith(await connections.accessToken(key, accessToken))
}

function syncPages<T extends { id: string }>(get: Get, path: string, call: CallOptions) {
  return async (query: PageQuery) => readJson<SyncPage<T>>(await get(path, query, call), isSyncPage)
}

async function* entries<T extends { id: string }>(
  get: Get,
  path: string,
  query: PageQuery,
  call: CallOptions,
): AsyncGenerator<T, void> {
  for await (const page of readPages(syncPages<T>(get, path, call), query)) yield* page.data
}

async function listPage<T extends { id: string }>(
  get: Get,
  path: string,
  query: PageQuery,
  { page = 0, pageSize = 100, ...call }: PageOptions,
): Promise<Page<T>> {
  const response = await get(path, { page: String(page), page_size: String(pageSize), ...query }, call)
  const items = readJson<T[]>(response, isEntries)
  return { items, previous: pageNumber(response, 'prev'), next: pageNumber(response, 'next') }
}

/** The number in a `Link` header (RFC 8288). Only the number: a link must not lead the access token to another server. */
function pageNumber({ headers }: HttpResponse, relation: 'prev' | 'next'): number | undefined {
  for (const [, target = '', parameters = ''] of (headers.get('link') ?? '').matchAll(/<([^>]*)>([^<]*)/g)) {
    const relations = /;\s*rel="?([^";,]*)/i.exec(parameters)?.[1]?.split(' ')
    const page = new URL(target, 'http://localhost').searchParams.get('page')
    if (page !== null && relations?.includes(relation)) return Number(page)
  }
  return undefined
}

function isUserInfo(value: unknown): value is { sub: string } {
  return isObject(value) && typeof value.sub === 'string'
}

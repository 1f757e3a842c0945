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

/** One page of a listing, with the numbers of its neighbours. */
export type Page<T> = { items: T[]; previous: number | undefined; next: number | undefined }

/** `page` counts from 0; `pageSize` is 1 to 1000. */
export type PageOptions = CallOptions & { page?: number; pageSize?: number }

/** The API on behalf of one user. Each call throws a {@link LatchkeyError}, or {@link ConnectionEnded} if it must be renewed. */
export type Client = ReturnType<typeof createClient>

export function createClient(options: PartnerOptions, connections: Connections, key: string) {
  async function get(path: string, query: PageQuery, { signal, requestId }: CallOptions): Promise<HttpResponse> {
    const url = addressOf(options.baseUrl, path)
    url.search = new URLSearchParams(query).toString()
    const call = (accessToken: string) =>
      send(options.fetch ?? globalThis.fetch, {
        method: 'GET',
        url,
        headers: { authorization: `Bearer ${accessToken}` },
        idempotent: true,
        signal,
        requestId,
      })
    const accessToken = await connections.accessToken(key)
    const response = await call(accessToken)
    return response.status === 401 ? call(await connections.accessToken(key, accessToken)) : response
  }

  function syncPages<T extends { id: string }>(path: string, call: CallOptions) {
    return async (query: PageQuery) => readJson<SyncPage<T>>(await get(path, query, call), isSyncPage)
  }

  async function* entries<T extends { id: string }>(path: string, query: PageQuery, call: CallOptions) {
    for await (const page of readPages(syncPages<T>(path, call), query)) yield* page.data
  }

  async function listPage<T extends { id: string }>(path: string, query: PageQuery, call: PageOptions) {
    const { page = 0, pageSize = 100 } = call
    const response = await get(path, { page: String(page), page_size: String(pageSize), ...query }, call)
    const items = readJson<T[]>(response, isEntries)
    return { items, previous: pageNumber(response, 'prev'), next: pageNumber(response, 'next') }
  }

  const accountsPath = (householdId: string) => `api/v1/households/${encodeURIComponent(householdId)}/accounts`

  return {
    /** All households that the user sees, or those with a text in their name, in the order of their ids. */
    households({ nameContains, ...call }: CallOptions & { nameContains?: string } = {}) {
      const query: PageQuery = nameContains ? { name_contains: nameContains } : {}
      return entries<Household>('api/v2/households', query, call)
    },

    /** All active accounts that the user sees, in the order of their ids. */
    accounts(call: CallOptions = {}) {
      return entries<Account>('api/v2/accounts', {}, call)
    },

    /** The active accounts of a household that the user sees. */
    async *accountsOf(householdId: string, call: CallOptions = {}): AsyncGenerator<Account, void> {
      for (let page: number | undefined = 0; page !== undefined; ) {
        const read: Page<Account> = await this.accountsPage(householdId, { ...call, page, pageSize: 1000 })
        yield* read.items
        page = read.next
      }
    },

    async household(id: string, call: CallOptions = {}): Promise<Household> {
      const response = await get(`api/v2/households/${encodeURIComponent(id)}`, {}, call)
      return readJson<Household>(response, isEntry)
    },

    /** One page by its number, for a user interface. */
    householdsPage({ namePattern, ...call }: PageOptions & { namePattern?: string } = {}): Promise<Page<Household>> {
      return listPage<Household>('api/v1/households', namePattern ? { name_pattern: namePattern } : {}, call)
    },

    /** One page by its number, for a user interface. */
    accountsPage(householdId: string, call: PageOptions = {}): Promise<Page<Account>> {
      return listPage<Account>(accountsPath(householdId), {}, call)
    },

    /** All households, or what changed since the `asOf` of the previous sync. */
    syncHouseholds({ since, ...call }: CallOptions & { since?: string | undefined } = {}): Promise<
      SyncResult<Household>
    > {
      return readChanges(syncPages<Household>('api/v2/households', call), since)
    },

    /** All accounts, or what changed since the `asOf` of the previous sync. */
    syncAccounts({ since, ...call }: CallOptions & { since?: string | undefined } = {}): Promise<SyncResult<Account>> {
      return readChanges(syncPages<Account>('api/v2/accounts', call), since)
    },

    /** The id by which this partner knows the user. */
    async userInfo(call: CallOptions = {}): Promise<{ sub: string }> {
      return readJson(await get('oauth2/userinfo', {}, call), isUserInfo)
    },

    /** Ends the connection and deletes its tokens. */
    disconnect(call: CallOptions = {}): Promise<void> {
      return connections.end(key, call)
    },
  }
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

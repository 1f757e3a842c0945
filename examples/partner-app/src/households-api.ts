import { type Static, type TSchema, Type } from 'typebox'
import type { AccessToken } from './access-token.ts'
import { ApiError } from './errors.ts'
import { findLink } from './link-header.ts'
import { parseJson } from './parse-json.ts'

const Household = Type.Object({ id: Type.String(), name: Type.Optional(Type.String()) })
export type Household = Static<typeof Household>

const Account = Type.Object({
  id: Type.String(),
  household_id: Type.String(),
  name: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  number_masked: Type.Optional(Type.String()),
  custodian: Type.Optional(Type.String()),
  currency: Type.Optional(Type.String()),
  status: Type.String(),
  opened_on: Type.Optional(Type.String()),
})
export type Account = Static<typeof Account>

/** A problem document (RFC 9457). */
const Problem = Type.Object({
  title: Type.String(),
  detail: Type.Optional(Type.String()),
  request_id: Type.Optional(Type.String()),
})

/** The query strings of the previous and the next page, or undefined if there is none. */
export interface Neighbours {
  previous: string | undefined
  next: string | undefined
}

export type HouseholdsApi = ReturnType<typeof createHouseholdsApi>

export function createHouseholdsApi(baseUrl: URL, accessToken: AccessToken) {
  async function get(url: URL, sessionId: string | undefined) {
    const token = await accessToken(sessionId)
    const response = await call(url, token)
    if (response.status !== 401) return response
    await response.body?.cancel()
    return call(url, await accessToken(sessionId, token))
  }

  async function list<T extends TSchema>(
    schema: T,
    path: string,
    query: URLSearchParams,
    sessionId: string | undefined,
  ) {
    const url = new URL(`${path}?${query}`, baseUrl)
    const response = await get(url, sessionId)
    const body = await response.text()
    if (!response.ok) throw new ApiError(response.status, parseJson(Problem, body))
    return { items: parseJson(schema, body), ...neighbours(response, url) }
  }

  return {
    households(query: URLSearchParams, sessionId: string | undefined) {
      return list(Type.Array(Household), 'api/v1/households', query, sessionId)
    },
    accounts(householdId: string, query: URLSearchParams, sessionId: string | undefined) {
      const path = `api/v1/households/${encodeURIComponent(householdId)}/accounts`
      return list(Type.Array(Account), path, query, sessionId)
    },
  }
}

function call(url: URL, token: string) {
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` }
  return fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(10_000) })
}

// Uses only the query of a link. Otherwise a header could make the app send the token to another server.
function neighbours(response: Response, url: URL): Neighbours {
  const header = response.headers.get('link')
  const query = (rel: string) => {
    const target = findLink(header, rel)
    return target === undefined ? undefined : new URL(target, url).search
  }
  return { previous: query('prev'), next: query('next') }
}

import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { ApiAnswer } from './journey.ts'
import type { TestServer } from './server.ts'

type Receipt = { count: number; removed?: number; sha256: string; as_of: string }
export type WalkedPage = {
  data: { id: string; household_id?: string; name?: string }[]
  removed?: string[]
  removed_reasons?: Record<string, string>
  next_cursor: string | null
  receipt?: Receipt
}
export type Query = Record<string, string | number>

/** Calls version 2 of the API. */
export async function apiV2(
  server: Pick<TestServer, 'baseUrl'>,
  path: string,
  accessToken: string,
  query: Query = {},
): Promise<ApiAnswer> {
  const url = new URL(`${server.baseUrl}api/v2/${path}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  const response = await fetch(url, { headers: { authorization: `Bearer ${accessToken}` } })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

export type Resource = 'households' | 'accounts'

export async function page(
  server: TestServer,
  accessToken: string,
  query: Query = {},
  resource: Resource = 'households',
): Promise<WalkedPage> {
  const { status, text } = await apiV2(server, resource, accessToken, query)
  if (status !== 200) throw new Error(text)
  return JSON.parse(text)
}

export type Walked = {
  pages: WalkedPage[]
  data: WalkedPage['data']
  removed: string[]
  /** Why, as the last page that has the id says it. */
  reasons: Record<string, string>
  receipt: Receipt
}

/**
 * Reads from the first page to the last by `next_cursor` only. `between` runs after each page except the last. The receipt
 * must be on the last page only, and must match the rows that were sent.
 */
export async function walk(
  server: TestServer,
  accessToken: string,
  query: Query = {},
  between: () => Promise<unknown> = async () => {},
  resource: Resource = 'households',
): Promise<Walked> {
  const { limit } = query
  const pages = [await page(server, accessToken, query, resource)]
  for (let cursor = pages[0]?.next_cursor; cursor; cursor = pages.at(-1)?.next_cursor) {
    await between()
    pages.push(await page(server, accessToken, { cursor, ...(limit && { limit }) }, resource))
    if (pages.length > 200) throw new Error('the sync does not end')
  }
  const data = pages.flatMap((each) => each.data)
  const removed = pages.flatMap((each) => each.removed ?? [])
  const receipts = pages.flatMap((each) => each.receipt ?? [])
  const [receipt] = receipts
  if (!receipt || receipts.length > 1 || !pages.at(-1)?.receipt)
    throw new Error('expected exactly one receipt, on the last page')
  expect(receipt).toEqual({
    count: data.length,
    ...('updated_since' in query && { removed: removed.length }),
    sha256: digestOf(data.map(({ id }) => id)),
    as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
  })
  for (const { removed: ids = [], removed_reasons: given = {} } of pages)
    expect(Object.keys(given).sort()).toEqual([...new Set(ids)].sort())
  const reasons = Object.assign({}, ...pages.map((each) => each.removed_reasons))
  return { pages, data, removed, reasons, receipt }
}

/** The digest as a partner computes it. */
export function digestOf(ids: string[]): string {
  const hash = createHash('sha256')
  for (const id of ids) hash.update(`${id}\n`)
  return hash.digest('hex')
}

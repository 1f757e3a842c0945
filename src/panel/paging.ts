import type { FastifyRequest } from 'fastify'
import { type PageRequest, pageRequestOf } from '../management/page.ts'
import Type from '../typebox.ts'

/** Rows on a page of a list. */
const pageRows = 50

const text = Type.Optional(Type.String({ maxLength: 500, pattern: '^[^\\u0000]*$' }))

/** The query of a page: these filters as text, and the cursor. */
export function listQuery<Name extends string>(...names: Name[]) {
  return Type.Object({
    ...Object.fromEntries(names.map((name) => [name, text] as const)),
    cursor: text,
  } as Record<Name | 'cursor', typeof text>)
}

export function listRequest({ cursor }: { cursor?: string | undefined }): PageRequest {
  return pageRequestOf({ limit: pageRows, ...(cursor && { cursor }) })
}

/** Undefined for a filter without text, as a form sends it. */
export function filled(value: string | undefined): string | undefined {
  const trimmed = value?.trim()
  return trimmed === '' ? undefined : trimmed
}

/**
 * The rows of a page, and the address of the next one.
 * @param rows up to `limit` rows: the last one only shows that there is another page
 */
export function pageOfRows<Row>(
  request: FastifyRequest,
  { limit }: PageRequest,
  rows: Row[],
  placeOf: (row: Row) => string,
): { rows: Row[]; next: string | undefined } {
  const shown = rows.slice(0, limit - 1)
  const last = shown.at(-1)
  return { rows: shown, next: rows.length < limit || !last ? undefined : withCursor(request, placeOf(last)) }
}

/** The address of the page that begins after `place`. */
export function withCursor({ url }: FastifyRequest, place: string): string {
  const address = new URL(url, 'http://console')
  address.searchParams.set('cursor', Buffer.from(place).toString('base64url'))
  return `${address.pathname}${address.search}`
}

import Type, { type TObject, type TSchema } from '../typebox.ts'
import { type Answer, ok } from './answers.ts'

/** An object that refuses unknown fields: a misspelled field must not be ignored. */
export function closed<P extends Record<string, TSchema>>(
  properties: P,
  options: { $id?: string; description?: string; minProperties?: number } = {},
) {
  return Type.Object(properties, { ...options, additionalProperties: false })
}

/** The query parameters of every operation that lists. Add filters to them. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Entries on a page at most.' }),
  ),
  cursor: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,1000}$',
      description: 'The `next_cursor` of the previous page. Send it with the same filters.',
    }),
  ),
}

/** The schema of a page. */
export function pageOf($id: string, row: TSchema, what: string): TObject {
  return Type.Object(
    {
      data: Type.Array(row, { description: `The ${what} of this page.` }),
      next_cursor: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'Send it as `cursor` to read the next page. Null on the last page.',
      }),
    },
    { $id, description: `A page of ${what}.` },
  )
}

const defaultLimit = 100

/** `after`: the place of the last entry that the client has; null on the first page. `limit` is one more than on the page. */
export type PageRequest = { after: string | null; limit: number }

/** Reads the query parameters of a list. */
export function pageRequestOf({
  limit = defaultLimit,
  cursor,
}: {
  limit?: number
  cursor?: string
}): PageRequest {
  return {
    after: cursor === undefined ? null : Buffer.from(cursor, 'base64url').toString().replaceAll('\0', ''),
    limit: limit + 1,
  }
}

/**
 * Answers with a page and a link to the next one.
 * @param address of the list, with the filters of this request: see `withFilters`
 * @param rows up to `limit` rows of `pageRequestOf`: the last one only shows that there is another page
 * @param placeOf the value of `after` for the page that follows an entry
 */
export function pageAnswer<Row>(
  address: URL,
  { limit }: PageRequest,
  rows: Row[],
  placeOf: (row: Row) => string,
): Answer {
  const data = rows.slice(0, limit - 1)
  const last = data.at(-1)
  if (rows.length < limit || last === undefined) return ok({ data, next_cursor: null })
  const { cursor, link } = linkToNext(address, placeOf(last))
  return ok({ data, next_cursor: cursor }, { link })
}

/** @param place the value of `after` for the next page */
export function linkToNext(address: URL, place: string): { cursor: string; link: string } {
  const cursor = Buffer.from(place).toString('base64url')
  address.searchParams.set('cursor', cursor)
  return { cursor, link: `<${address.href}>; rel="next"` }
}

/** The address of a list with the parameters of this request. */
export function withFilters(address: string, query: Record<string, string | number | undefined>): URL {
  const url = new URL(address)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

/** Whether the text can be the id of a row with a number. */
export function isRowId(text: string): boolean {
  return /^\d{1,18}$/.test(text)
}

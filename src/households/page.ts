import Type from 'typebox'

/** Contract, section 8. */
const defaultSize = 100
const largestSize = 1000

export const PageQuery = {
  page: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'Page number, from 0.',
    }),
  ),
  page_size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: largestSize, default: defaultSize, description: 'Entries a page.' }),
  ),
  after: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Set by the next link of `Link`: the page begins behind this id, and `page` only counts.',
    }),
  ),
}

/** `after` is empty on a page that was asked for by its number alone: no id is. */
export type Page = { number: number; size: number; after: string }

export function pageOf(query: { page?: number; page_size?: number; after?: string }): Page {
  return { number: query.page ?? 0, size: query.page_size ?? defaultSize, after: query.after ?? '' }
}

/** Rows before the page, as text: beyond 2^53 a number would be rounded. */
export function offsetOf({ number, size, after }: Page): string {
  return after ? '0' : (BigInt(number) * BigInt(size)).toString()
}

/**
 * RFC 8288. `next` carries the last id of this page, so that a client that follows it neither skips nor repeats what
 * stays while other entries come and go; a page number alone cannot promise that.
 *
 * `address` is the operation's public URL, `last` this page's last id if more follow, `others` parameters to keep.
 */
export function linkHeader(
  address: string,
  page: Page,
  last: string | null,
  others: Record<string, string>,
): string | undefined {
  const link = (number: number, rel: string, after?: { after: string }) => {
    const numbers = { page: String(number), page_size: String(page.size) }
    return `<${address}?${new URLSearchParams({ ...numbers, ...others, ...after })}>; rel="${rel}"`
  }
  const links = [
    ...(page.number > 0 ? [link(0, 'first'), link(page.number - 1, 'prev')] : []),
    ...(last !== null ? [link(page.number + 1, 'next', { after: last })] : []),
  ]
  return links.length > 0 ? links.join(', ') : undefined
}

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
}

export type Page = { number: number; size: number }

export function pageOf(query: { page?: number; page_size?: number }): Page {
  return { number: query.page ?? 0, size: query.page_size ?? defaultSize }
}

/** Rows before the page, as text: beyond 2^53 a number would be rounded. */
export function offsetOf({ number, size }: Page): string {
  return (BigInt(number) * BigInt(size)).toString()
}

/** RFC 8288. `address` is the operation's public URL; `others` are parameters to keep. */
export function linkHeader(
  address: string,
  page: Page,
  more: boolean,
  others: Record<string, string>,
): string | undefined {
  const link = (number: number, rel: string) => {
    const query = new URLSearchParams({ page: String(number), page_size: String(page.size), ...others })
    return `<${address}?${query}>; rel="${rel}"`
  }
  const links = [
    ...(page.number > 0 ? [link(0, 'first'), link(page.number - 1, 'prev')] : []),
    ...(more ? [link(page.number + 1, 'next')] : []),
  ]
  return links.length > 0 ? links.join(', ') : undefined
}

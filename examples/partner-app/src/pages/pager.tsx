import type { Page } from '@latchkey/client'

interface PagerProps extends Pick<Page<unknown>, 'previous' | 'next'> {
  path: string
  /** The parameters that all pages have. */
  query?: Record<string, string>
}

export function Pager({ path, query = {}, previous, next }: PagerProps) {
  if (previous === undefined && next === undefined) return null
  const href = (page: number) => `${path}?${new URLSearchParams({ ...query, page: String(page) })}`
  return (
    <nav aria-label="Pages">
      <ul>
        <li>
          {previous !== undefined && (
            <a href={href(previous)} rel="prev">
              ← Previous
            </a>
          )}
        </li>
      </ul>
      <ul>
        <li>
          {next !== undefined && (
            <a href={href(next)} rel="next">
              Next →
            </a>
          )}
        </li>
      </ul>
    </nav>
  )
}

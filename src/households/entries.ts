/**
 * What a listing's statement answers: JSON objects that begin with their `id`, joined by commas, one more than the page
 * has where another page follows; null where there are none. The page is cut out of this text, because a row an entry
 * would cost the server more than all the rest of the call.
 */
export type Entries = { count: number; entries: string | null }

/** `body` is the JSON array; `last` the id of its last entry if more follow. */
export type PageOfEntries = { body: string; count: number; last: string | null }

/** How an entry begins. Within a JSON string the quotes would be escaped, so this can stand nowhere else. */
const beginning = '{"id":"'

export function cutPage({ count, entries }: Entries, size: number): PageOfEntries {
  if (entries === null || count <= size) return { body: `[${entries ?? ''}]`, count, last: null }
  const end = entries.lastIndexOf(beginning) - 1
  const id = entries.lastIndexOf(beginning, end - 1) + beginning.length
  return {
    body: `[${entries.slice(0, end)}]`,
    count: size,
    last: entries.slice(id, entries.indexOf('"', id)),
  }
}

/** The ids of a page's entries, each followed by a line feed. */
export function idLines(body: string): string {
  const [, ...entries] = body.split(beginning)
  return entries.map((entry) => `${entry.slice(0, entry.indexOf('"'))}\n`).join('')
}

/**
 * The result of a listing's statement. `entries` are JSON objects that begin with their `id`, joined by commas; null if
 * there are none. If another page follows, there is one entry more than fits on the page. The page is cut out of this
 * text, because one row for each entry would cost the server more than the rest of the call.
 */
export type Entries = { count: number; entries: string | null }

/** `body` is the JSON array. `last` is the id of its last entry, null if no more follow. */
export type PageOfEntries = { body: string; count: number; last: string | null }

/** The start of each entry. It occurs nowhere else, because the quotes would be escaped inside a JSON string. */
const entryStart = '{"id":"'

export function cutPage({ count, entries }: Entries, size: number): PageOfEntries {
  if (entries === null || count <= size) return { body: `[${entries ?? ''}]`, count, last: null }
  const end = entries.lastIndexOf(entryStart) - 1
  const id = entries.lastIndexOf(entryStart, end - 1) + entryStart.length
  return {
    body: `[${entries.slice(0, end)}]`,
    count: size,
    last: entries.slice(id, entries.indexOf('"', id)),
  }
}

/** The `household_id` of the last account of a page's body. In an account's JSON it follows the id. */
export function lastHouseholdId(body: string): string {
  const found = /^\{"id":"[^"]*","household_id":"([^"]*)"/.exec(body.slice(body.lastIndexOf(entryStart)))
  return found?.[1] ?? ''
}

/** The ids of a page's households. */
export function householdIds(json: string): string[] {
  return valuesAfter(json, entryStart)
}

/** The ids of the households of a page's accounts, in the accounts' JSON after their own ids. A household may occur twice. */
export function householdIdsOfAccounts(json: string): string[] {
  return valuesAfter(json, '","household_id":"')
}

/** What is between each `start` and the next quotation mark. Ids have no character that JSON escapes. */
function valuesAfter(json: string, start: string): string[] {
  const values: string[] = []
  for (let at = json.indexOf(start); at >= 0; ) {
    const end = json.indexOf('"', at + start.length)
    values.push(json.slice(at + start.length, end))
    at = json.indexOf(start, end)
  }
  return values
}

/** The ids of a page's entries, each followed by a line feed. */
export function idLines(body: string): string {
  const [, ...entries] = body.split(entryStart)
  return entries.map((entry) => `${entry.slice(0, entry.indexOf('"'))}\n`).join('')
}

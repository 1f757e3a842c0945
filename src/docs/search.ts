import MiniSearch from 'minisearch'

/** A part of a page that the search can find. `path` leads to it, with its anchor. */
export type SearchEntry = { path: string; page: string; heading: string; content: string; weight: number }

export type SearchResult = { path: string; page: string; heading: string; excerpt: string }

const maxResults = 20

/** Words of a query that count: the time of a search grows with their number. */
const maxWords = 8

/** Characters of an excerpt. */
const excerptLength = 180

/** Searches words by their beginning, and tolerates a typing error in a long word. */
export class DocsSearch {
  readonly #entries: SearchEntry[]
  readonly #index = new MiniSearch<SearchEntry & { id: number }>({
    fields: ['heading', 'page', 'content'],
    searchOptions: {
      boost: { heading: 4, page: 2 },
      prefix: (word) => word.length > 2,
      fuzzy: (word) => (word.length > 5 ? 1 : false),
      combineWith: 'AND',
      boostDocument: (id) => this.#entries[id]?.weight ?? 1,
    },
  })

  constructor(entries: SearchEntry[]) {
    this.#entries = entries
    this.#index.addAll(entries.map((entry, id) => ({ ...entry, id })))
  }

  find(query: string): SearchResult[] {
    const words = query.split(/\s+/, maxWords).join(' ')
    return this.#index
      .search(words)
      .flatMap(({ id, terms }) => {
        const entry = this.#entries[id]
        if (!entry) return []
        const { path, page, heading, content } = entry
        return [{ path, page, heading, excerpt: excerptOf(content, terms) }]
      })
      .slice(0, maxResults)
  }
}

/** The text around the first word that was found, in whole words. */
function excerptOf(content: string, terms: string[]): string {
  const lower = content.toLowerCase()
  const found = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0)
  const first = Math.min(...found) - excerptLength / 3
  const from = found.length === 0 || first <= 0 ? 0 : content.indexOf(' ', first) + 1
  if (from + excerptLength >= content.length) return `${from > 0 ? '… ' : ''}${content.slice(from)}`
  const to = content.lastIndexOf(' ', from + excerptLength)
  return `${from > 0 ? '… ' : ''}${content.slice(from, to)} …`
}

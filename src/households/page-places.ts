import type { Page } from './page.ts'

/** Where a page begins: after the id `after`, as long as the caller's visibility version is `version`. */
export type Place = { version: string; after: string }

/** Sorts after every id. */
const afterAllIds = '~'

/** A place takes about 300 bytes, with a long `name_pattern` up to a kilobyte. */
const mostPlaces = 10_000

/**
 * Remembers where each page ended, so that a client that counts pages in sequence pays what a client that follows `Link`
 * pays (docs/adr/0020). Each process remembers its own. A place is a hint: the statement uses it only if everything that
 * decides the answer is still the same. `connectionKey` only has to find the place again: another caller's place would be
 * ignored, because the visibility version names the user.
 */
export class PagePlaces {
  /** In the order in which they were remembered. */
  readonly #places = new Map<string, Place>()

  find(connectionKey: string, page: Page): Place | undefined {
    return this.#places.get(keyOf(connectionKey, page, page.number))
  }

  /**
   * Remembers where the page after `page` begins. `last` is the id of the page's last entry, null if no more follow. Keeps the
   * place of `page`, because a client may repeat the request, and forgets the one before: a crawl keeps two places.
   */
  remember(connectionKey: string, page: Page, version: string, last: string | null): void {
    const next = keyOf(connectionKey, page, page.number + 1)
    this.#places.delete(next)
    this.#places.set(next, { version, after: last ?? afterAllIds })
    this.#places.delete(keyOf(connectionKey, page, page.number - 1))
    if (this.#places.size > mostPlaces) this.#forgetOldest()
  }

  #forgetOldest(): void {
    const [oldest] = this.#places.keys()
    if (oldest !== undefined) this.#places.delete(oldest)
  }
}

function keyOf(connectionKey: string, { listing, size }: Page, number: number): string {
  return JSON.stringify([connectionKey, listing.filters, size, number])
}

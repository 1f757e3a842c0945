import { Recent } from '../process/recent.ts'
import type { Page } from './page.ts'

/** Where a page begins: after the id `after`, as long as the caller's visibility version is `version`. */
export type Place = { version: string; after: string }

/** Sorts after every id. */
const afterAllIds = '~'

/**
 * Bounds of the memory: at most twice as many callers with twice as many places each, 40,000 of about 300 bytes. A caller who
 * crawls cannot displace the places of others.
 */
const mostCallers = 1000
const mostPlacesPerCaller = 10

/**
 * Remembers where each page ended, so that a client that counts pages in sequence pays what a client that follows `Link`
 * pays (docs/adr/0020). Each process remembers its own. A place is a hint: the statement uses it only if everything that
 * decides the answer is still the same. `connectionKey` only has to find the place again: another caller's place would be
 * ignored, because the visibility version names the user.
 */
export class PagePlaces {
  readonly #byCaller = new Recent<Recent<Place>>(mostCallers)

  find(connectionKey: string, page: Page): Place | undefined {
    return this.#byCaller.get(connectionKey)?.get(keyOf(page, page.number))
  }

  /** Remembers where the page after `page` begins. `last` is the id of the page's last entry, null if no more follow. */
  remember(connectionKey: string, page: Page, version: string, last: string | null): void {
    const places = this.#byCaller.get(connectionKey) ?? new Recent<Place>(mostPlacesPerCaller)
    places.set(keyOf(page, page.number + 1), { version, after: last ?? afterAllIds })
    this.#byCaller.set(connectionKey, places)
  }
}

function keyOf({ listing, size }: Page, number: number): string {
  return `${size} ${number} ${JSON.stringify(listing.filters)}`
}

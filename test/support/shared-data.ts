import type { Page, Visitor } from './visitor.ts'

/** What the connect page says that the application would see. Numbers are as on the page: `1,032`. */
export type SharedOnPage = { households: string; names: string[]; accounts: string }

export function sharedOn(page: Page): SharedOnPage {
  const [households, accounts] = page.document.querySelectorAll('.sees > li')
  const names = households?.querySelectorAll('bdi') ?? []
  return {
    households: households?.querySelector('strong')?.text ?? '',
    names: names.map(({ text }) => text),
    accounts: accounts?.querySelector('strong')?.text ?? '',
  }
}

/** The address of the list of all households, as the connect page links to it. */
export function seeAll(page: Page): string | undefined {
  const href = page.document.querySelector('a[href^="/connect/households?"]')?.getAttribute('href')
  return href && new URL(href, page.url).href
}

/** All names on the pages behind "See all". */
export async function allNames(visitor: Visitor, address: string): Promise<string[]> {
  const names: string[] = []
  for (let next: string | undefined = address; next; ) {
    const page: Page = await visitor.get(next)
    names.push(...page.document.querySelectorAll('.names bdi').map(({ text }) => text))
    const href: string | undefined = page.document.querySelector('a[rel=next]')?.getAttribute('href')
    next = href && new URL(href, page.url).href
  }
  return names
}

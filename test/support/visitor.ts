import makeFetchCookie from 'fetch-cookie'
import { type HTMLElement, parse } from 'node-html-parser'

export type Page = { status: number; url: string; headers: Headers; text: string; document: HTMLElement }

/** A browser at the protocol level: keeps cookies, follows redirects only when told to, and submits forms as served. */
export class Visitor {
  readonly jar = new makeFetchCookie.toughCookie.CookieJar()
  readonly #fetch = makeFetchCookie(fetch, this.jar)

  async get(url: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.#page(url, await this.#fetch(url, { redirect: 'manual', headers }))
  }

  async post(
    url: string,
    fields: Record<string, string> | string,
    headers: Record<string, string> = {},
  ): Promise<Page> {
    const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString()
    const sent = { 'content-type': 'application/x-www-form-urlencoded', ...headers }
    return this.#page(
      url,
      await this.#fetch(url, { method: 'POST', redirect: 'manual', headers: sent, body }),
    )
  }

  /** Follows redirects as long as they stay on the origin of `page`. */
  async follow(page: Page): Promise<Page> {
    let current = page
    for (
      let location = redirectOf(current);
      location?.origin === new URL(page.url).origin;
      location = redirectOf(current)
    ) {
      current = await this.get(location.href)
    }
    return current
  }

  /** Submits the first form with this action. `fields` replace the served values. */
  submit(
    page: Page,
    action: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Page> {
    return this.post(new URL(action, page.url).href, { ...fieldsOf(page, action), ...fields }, headers)
  }

  async #page(url: string, response: Response): Promise<Page> {
    const text = await response.text()
    return { status: response.status, url, headers: response.headers, text, document: parse(text) }
  }
}

export function redirectOf(page: Page): URL | undefined {
  const location = page.headers.get('location')
  return location === null ? undefined : new URL(location, page.url)
}

/** The hidden fields of a form as served. */
export function fieldsOf(page: Page, action: string): Record<string, string> {
  const form = page.document
    .querySelectorAll('form')
    .find((candidate) => candidate.getAttribute('action') === action)
  if (!form) throw new Error(`no form ${action} in: ${page.text}`)
  const inputs = form.querySelectorAll('input[type=hidden]')
  return Object.fromEntries(
    inputs.map((input) => [input.getAttribute('name') ?? '', input.getAttribute('value') ?? '']),
  )
}

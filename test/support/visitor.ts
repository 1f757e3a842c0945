import { readFile } from 'node:fs/promises'
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

  /**
   * Fills a form in and submits it, as a browser does: other fields keep their values. An empty text unchecks a box. A Blob is
   * a file.
   */
  async postForm(page: Page, action: string, fields: Record<string, string | Blob>): Promise<Page> {
    const form = formOf(page, action)
    const sent = { ...valuesOf(form), ...fields }
    const url = new URL(action, page.url).href
    if (form.getAttribute('enctype') !== 'multipart/form-data') {
      const texts = Object.entries(sent).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      )
      return this.post(url, new URLSearchParams(texts).toString())
    }
    const body = new FormData()
    for (const [name, value] of Object.entries(sent)) body.append(name, value)
    return this.#page(url, await this.#fetch(url, { method: 'POST', redirect: 'manual', body }))
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
  const inputs = formOf(page, action).querySelectorAll('input[type=hidden]')
  return Object.fromEntries(
    inputs.map((input) => [input.getAttribute('name') ?? '', input.getAttribute('value') ?? '']),
  )
}

function formOf(page: Page, action: string): HTMLElement {
  const form = page.document
    .querySelectorAll('form')
    .find((candidate) => candidate.getAttribute('action') === action)
  if (!form) throw new Error(`no form ${action} in: ${page.text}`)
  return form
}

/** What a browser would send, if nothing is typed. */
function valuesOf(form: HTMLElement): Record<string, string> {
  const values: Record<string, string> = {}
  for (const field of form.querySelectorAll('input, textarea, select')) {
    const name = field.getAttribute('name')
    const type = field.getAttribute('type')
    const isOff =
      type === 'file' || ((type === 'checkbox' || type === 'radio') && !field.hasAttribute('checked'))
    if (name === undefined || isOff) continue
    values[name] = servedValue(field)
  }
  return values
}

function servedValue(field: HTMLElement): string {
  if (field.tagName === 'TEXTAREA') return field.textContent
  if (field.tagName !== 'SELECT') return field.getAttribute('value') ?? ''
  const chosen = field.querySelector('option[selected]') ?? field.querySelector('option')
  return chosen?.getAttribute('value') ?? ''
}

/** Fields for `postForm`. A text `file:PATH` is the file of this path. */
export async function typed(fields: Record<string, string> = {}): Promise<Record<string, string | Blob>> {
  const entries = Object.entries(fields).map(async ([name, value]) => [
    name,
    value.startsWith('file:') ? new Blob([await readFile(value.slice(5))]) : value,
  ])
  return Object.fromEntries(await Promise.all(entries))
}

import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Texts } from '../web/languages/languages.ts'
import type { Status } from './current-status.ts'
import { StatusPage } from './status-page.tsx'

/**
 * The page of the last report in each language. It has a cell for each day of 13 months: rendered for every request, a flood
 * would take the CPU that tokens and the API need.
 */
export class RenderedStatus {
  readonly #pages = new Map<string, { report: Status['report']; html: string }>()

  /** The content of the page in the language of `texts`. */
  bodyOf(current: Status, texts: Texts): VNode {
    const { status, report } = current
    const variant = `${texts.language} ${status}`
    let page = this.#pages.get(variant)
    if (!page || page.report !== report) {
      page = { report, html: renderToString(<StatusPage current={current} texts={texts} />) }
      this.#pages.set(variant, page)
    }
    return <div dangerouslySetInnerHTML={{ __html: page.html }} />
  }
}

import type { Config } from '../config.ts'
import { parseApiDocument } from './api-document.ts'
import { type ContentsGroup, type DocsPage, type Frame, renderDocsPage } from './frame.tsx'
import { readGuides } from './guides.ts'
import { FaultPage, GuidePage, IndexPage, SearchPage } from './pages.tsx'
import { Reference, referenceHeadings, referenceSections } from './reference.tsx'
import { DocsSearch, type SearchEntry } from './search.ts'

/** Makes the HTML of a page, and what the search finds on it. */
type PageSource = { page: () => DocsPage; entries: SearchEntry[] }

export type Site = {
  /** The HTML of the page at this path below the docs, such as `quick-start`. Empty for the index. */
  page(path: string): string | undefined
  search(query: string): string
  /** A page that says what is wrong with a request. */
  fault(title: string, text: string, requestId: string): string
}

type SiteOptions = Omit<Frame, 'environment' | 'contents'> & { config: Config; apiDocument: unknown }

/** The docs of a deployment. Reading the sources takes some milliseconds. Each page is rendered when it is requested. */
export function createSite({ config, apiDocument, ...addresses }: SiteOptions): Site {
  const { root } = addresses
  const pathOf = (slug: string) => `${root}/${slug}`
  const sources = new Map<string, PageSource>()
  const groups: (ContentsGroup & { summaries: Map<string, string> })[] = []
  const add = (group: string, slug: string, source: PageSource & { title: string; summary: string }) => {
    sources.set(slug, source)
    let found = groups.find(({ title }) => title === group)
    if (!found) {
      found = { title: group, pages: [], summaries: new Map() }
      groups.push(found)
    }
    found.pages.push({ path: pathOf(slug), title: source.title })
    found.summaries.set(pathOf(slug), source.summary)
  }

  for (const { slug, group, title, summary, steps, headings, sections } of readGuides(config, pathOf)) {
    const body = <GuidePage title={title} steps={steps} />
    const page = () => ({ path: pathOf(slug), title, description: summary, headings, body })
    const entries = entriesOf(pathOf(slug), title, sections)
    add(group, slug, { page, entries, title, summary })
  }
  const document = parseApiDocument(apiDocument)
  const reference = {
    title: 'API reference',
    summary: 'Every operation with its parameters, answers and examples.',
  }
  add('Reference', 'reference', {
    ...reference,
    page: () => ({
      path: pathOf('reference'),
      title: reference.title,
      description: reference.summary,
      headings: referenceHeadings(document),
      body: <Reference document={document} config={config} />,
    }),
    entries: entriesOf(pathOf('reference'), reference.title, referenceSections(document)),
  })

  const frame = { ...addresses, environment: config.environment, contents: groups }
  const index = <IndexPage {...config} root={root} groups={groups} />
  const search = new DocsSearch([...sources.values()].flatMap(({ entries }) => entries))
  return {
    page(path) {
      if (path === '')
        return renderDocsPage(frame, { path: root, title: 'Documentation for partners', body: index })
      const source = sources.get(path)
      return source && renderDocsPage(frame, source.page())
    },
    search(query) {
      const body = <SearchPage query={query} results={query === '' ? [] : search.find(query)} />
      return renderDocsPage(frame, { path: pathOf('search'), title: 'Search', query, body })
    },
    fault(title, text, requestId) {
      return renderDocsPage(frame, { path: '', title, body: <FaultPage {...{ title, text, requestId }} /> })
    },
  }
}

function entriesOf(
  path: string,
  page: string,
  sections: { id: string; text: string; content: string }[],
): SearchEntry[] {
  return sections.map(({ id, text, content }) => ({
    path: id === '' ? path : `${path}#${id}`,
    page,
    heading: text,
    content,
  }))
}

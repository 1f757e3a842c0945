import { setImmediate as nextTurn } from 'node:timers/promises'
import type { VNode } from 'preact'
import type { Config } from '../config.ts'
import { errorPages } from '../errors/catalogue.ts'
import type { SandboxApplication } from '../sandbox/application.ts'
import { checkApiDocument } from './api-document.ts'
import type { Heading, Section } from './article.ts'
import { ErrorCodePage, ErrorsPage, errorHeadings, errorKindHeadings, errorSections } from './errors.tsx'
import { type Frame, renderDocsPage } from './frame.tsx'
import { type Guide, readGuides } from './guides.ts'
import { FaultPage, GuidePage, IndexPage, SearchPage } from './pages.tsx'
import { Reference, referenceHeadings, referenceSections } from './reference.tsx'
import { DocsSearch } from './search.ts'

/** A page that is the same for every reader. */
type SitePage = {
  slug: string
  /** Its group in the contents. */
  group?: string
  /** A page in the contents, if this page has no place there. */
  parent?: string
  title: string
  summary: string
  headings: Heading[]
  /** What the search finds on the page. */
  sections: Section[]
  body: () => VNode
}

export type Site = {
  /** The HTML of the page at this path below the docs, such as `quick-start`. Empty for the index. */
  page(path: string): string | undefined
  search(query: string): string
  /** A page that says what is wrong with a request. */
  fault(title: string, text: string, requestId: string): string
}

type SiteOptions = Omit<Frame, 'environment' | 'brandName' | 'groups'> & {
  config: Config
  apiDocument: unknown
  /** The application that a sandbox publishes. */
  application: SandboxApplication | undefined
}

/**
 * The docs of a deployment. Reading the sources takes 0.1 seconds of CPU, in parts, so that API calls do not wait for all of
 * it. Each page is rendered when it is requested.
 */
export async function createSite({
  config,
  apiDocument,
  application,
  ...addresses
}: SiteOptions): Promise<Site> {
  const { root } = addresses
  const guides = readGuides(config, application, (slug) => `${root}/${slug}`)
  await nextTurn()
  const pages: SitePage[] = [
    ...guides.filter(({ slug }) => slug !== 'errors').map(guidePage),
    referencePage(config, root, apiDocument),
    errorsPage(
      root,
      guides.find(({ slug }) => slug === 'errors'),
    ),
    ...errorCodePages(root),
  ]
  await nextTurn()
  const groups = [...new Set(pages.flatMap(({ group }) => group ?? []))].map((title) => ({
    title,
    pages: pages.filter(({ group }) => group === title),
  }))
  const { environment, brand } = config
  const frame: Frame = { ...addresses, environment, brandName: brand.name, groups }
  const search = new DocsSearch(
    pages.flatMap(({ slug, parent, title, sections }) =>
      sections.map(({ id, text, content }) => {
        const path = id === '' ? `${root}/${slug}` : `${root}/${slug}#${id}`
        // The errors have many sections, which would otherwise hide the guides.
        return { path, page: title, heading: text, content, weight: parent ? 0.4 : 1 }
      }),
    ),
  )
  return {
    page(path) {
      if (path === '') {
        const body = <IndexPage {...config} root={root} groups={groups} />
        return renderDocsPage(frame, { slug: '', title: 'Documentation for partners', body })
      }
      const page = pages.find(({ slug }) => slug === path)
      return page && renderDocsPage(frame, { ...page, body: page.body() })
    },
    search(query) {
      const body = <SearchPage query={query} results={query === '' ? [] : search.find(query)} />
      return renderDocsPage(frame, { slug: 'search', title: 'Search', query, body })
    },
    fault(title, text, requestId) {
      return renderDocsPage(frame, { title, body: <FaultPage {...{ title, text, requestId }} /> })
    },
  }
}

function guidePage({ title, steps, ...guide }: Guide): SitePage {
  return { ...guide, title, body: () => <GuidePage title={title} steps={steps} /> }
}

function referencePage(config: Config, root: string, apiDocument: unknown): SitePage {
  const document = checkApiDocument(apiDocument)
  return {
    slug: 'reference',
    group: 'Reference',
    title: 'API reference',
    summary: 'Every operation with its parameters, answers and examples.',
    headings: referenceHeadings(document),
    sections: referenceSections(document),
    body: () => <Reference document={document} config={config} root={root} />,
  }
}

/** The list of all codes, below the guide about handling errors if there is one. */
function errorsPage(root: string, guide: Guide | undefined): SitePage {
  return {
    slug: 'errors',
    group: 'Reference',
    title: 'Errors',
    summary: guide?.summary ?? 'Every error code with its causes, and what to do.',
    headings: [...(guide?.headings ?? []), ...errorKindHeadings],
    sections: guide?.sections ?? [],
    body: () => <ErrorsPage root={root} steps={guide?.steps} />,
  }
}

function errorCodePages(root: string): SitePage[] {
  return errorPages.map((error) => ({
    slug: `errors/${error.code}`,
    parent: 'errors',
    title: error.code,
    summary: error.meaning,
    headings: errorHeadings(error),
    sections: errorSections(error),
    body: () => <ErrorCodePage root={root} page={error} />,
  }))
}

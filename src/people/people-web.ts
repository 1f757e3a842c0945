import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { Context } from '../context.ts'
import type { Frame } from '../panel/shell.tsx'
import { type Asset, assetRoute, loadScript, loadSheet } from '../web/assets.routes.ts'
import { chooseTexts, type Texts } from '../web/languages/languages.ts'
import { type Web, webEdge } from '../web/page-edge.tsx'
import { sendDocument } from '../web/send-document.ts'
import { homeOf, type PeopleKind } from './kind.ts'
import { type Person, personSessionHash } from './sessions.ts'
import type { PeopleWords } from './words.tsx'

/** What every page with the navigation has. */
export type ShellContent = { title: string; body: ComponentChildren }

/** How the pages of a kind of people differ. */
type Site<P extends Person, Page extends ShellContent> = {
  kind: PeopleKind
  words: PeopleWords
  /** The link of an error page to the first page. */
  homeLabel: string
  frame: Pick<Frame, 'name' | 'search'>
  /** The person who is logged in in this browser. @throws {DatabaseUnavailable} */
  personOf(request: FastifyRequest, context: Context): Promise<P | undefined>
  /** The role of the person on these pages. */
  roleOf(person: P): string | undefined
  /** The document of a page with the navigation. */
  render(frame: Frame, person: P, csrf: string, page: Page): string
}

/** How the routes send pages of a kind of people. */
export type PeopleWeb<P extends Person = Person, Page extends ShellContent = ShellContent> = Web &
  Pick<Site<P, Page>, 'kind' | 'words' | 'personOf' | 'roleOf'> & {
    home: (typeof homeOf)[PeopleKind]
    /** The texts that these pages share with those of users. */
    english: Texts
    /** The style sheet and the scripts. */
    files: Asset[]
    /** Sends a page with the navigation. */
    shell(reply: FastifyReply, person: P, page: Page, status?: number): FastifyReply
  }

/** Sets up what the pages of a kind of people share. They are in English, and their forms belong to the person's session. */
export async function peopleEdge<P extends Person, Page extends ShellContent>(
  app: FastifyInstance,
  context: Context,
  site: Site<P, Page>,
): Promise<PeopleWeb<P, Page>> {
  const { environment, brand } = context.config
  const { kind, words, personOf, roleOf } = site
  const home = homeOf[kind]
  const english = chooseTexts('en', undefined)
  const web = await webEdge(app, context, {
    textsOf: () => english,
    sessionOf: (request) => personSessionHash(request, context, kind),
    csrfCookie: `latchkey-${kind}-csrf`,
    home: () => ({ label: site.homeLabel, href: home }),
    hasLanguages: false,
  })
  const sheet = loadSheet(brand, 'tokens.css', 'latchkey.css', 'parts.css', 'panel.css', 'panel-pages.css')
  const scripts = [web.assets.localTimes, loadScript('panel.js')]
  const paths = { sheet: sheet.path, scripts: scripts.map(({ path }) => path) }
  const frame = { ...site.frame, home, environment, brand, ...paths }
  return {
    ...web,
    ...{ kind, words, personOf, roleOf, home, english },
    texts: () => english,
    files: [sheet, ...scripts],
    shell(reply, person, page, status = 200) {
      const html = site.render(frame, person, web.csrfToken(reply), page)
      return sendDocument(reply, html, { status, language: 'en', scripts: true })
    },
  }
}

/** The files of these pages, except those that other pages of the listener have registered. */
export function peopleFiles(app: FastifyInstance, { files }: Pick<PeopleWeb, 'files'>): void {
  for (const file of files) if (!app.hasRoute({ method: 'GET', url: file.path })) assetRoute(app, file)
}

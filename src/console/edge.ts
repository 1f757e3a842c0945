import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Context } from '../context.ts'
import { type Operator, operatorSessionHash } from '../operators/sessions.ts'
import { type Asset, assetRoute, loadScript, loadSheet } from '../web/assets.routes.ts'
import { chooseTexts, type Texts } from '../web/languages/languages.ts'
import { type Web, webEdge } from '../web/page-edge.tsx'
import { sendDocument } from '../web/send-document.ts'
import { type ConsolePage, consoleFrame, renderConsolePage } from './shell.tsx'

/** How the slices send pages of the console. */
export type ConsoleWeb = Web & {
  /** The texts that the console shares with the pages of users. */
  english: Texts
  /** The style sheet and the scripts of the console. */
  files: Asset[]
  /** Sends a page with the navigation. */
  consolePage(reply: FastifyReply, operator: Operator, page: ConsolePage, status?: number): FastifyReply
}

/** Sets up what the pages of the console share. They are in English, and their forms belong to the operator's session. */
export async function consoleEdge(app: FastifyInstance, context: Context): Promise<ConsoleWeb> {
  const { environment, brand } = context.config
  const english = chooseTexts('en', undefined)
  const web = await webEdge(app, context, {
    textsOf: () => english,
    sessionOf: (request) => operatorSessionHash(request, context),
    csrfCookie: 'latchkey-operator-csrf',
    home: () => ({ label: 'Open the overview', href: '/admin' }),
    hasLanguages: false,
  })
  const sheet = loadSheet(brand, 'tokens.css', 'latchkey.css', 'parts.css', 'panel.css', 'panel-pages.css')
  const scripts = [web.assets.localTimes, loadScript('panel.js')]
  const paths = { sheet: sheet.path, scripts: scripts.map(({ path }) => path) }
  const frame = { ...consoleFrame, environment, brand, ...paths }
  return {
    ...web,
    texts: () => english,
    english,
    files: [sheet, ...scripts],
    consolePage(reply, { name, email, role }, page, status = 200) {
      const html = renderConsolePage(frame, { name, email, role, csrf: web.csrfToken(reply) }, page)
      return sendDocument(reply, html, { status, language: 'en', scripts: true })
    },
  }
}

/** The files of the console's pages that the pages of users do not have. */
export function consoleFiles(app: FastifyInstance, { files, assets }: ConsoleWeb): void {
  for (const file of files) if (file.path !== assets.localTimes.path) assetRoute(app, file)
}

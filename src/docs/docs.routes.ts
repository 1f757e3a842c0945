import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { classify } from '../http/faults.ts'
import type { SandboxApplication } from '../sandbox/application.ts'
import { assetRoute, loadScript, loadSheet } from '../web/assets.routes.ts'
import { longestQuery } from './frame.tsx'
import { type CachedPage, cachedPage, maxAge, sendCached, sendOnce } from './send-page.ts'
import type { Site } from './site.tsx'

/**
 * Serves the docs for partners below `{base_url}docs`. They set no cookie and read nothing from the database. The libraries
 * that render them are loaded with the first request, so that they do not delay the start.
 */
export function docsRoutes(app: FastifyInstance, context: Context, apiDocument: () => unknown): void {
  const root = `${new URL(context.config.baseUrl).pathname}docs`
  const openSite = siteOf(app, context, root, apiDocument)

  const sendPage = async (request: FastifyRequest, reply: FastifyReply, path: string) => {
    const { pages, ...site } = await openSite()
    let page = pages.get(path)
    if (!page) {
      const html = site.page(path)
      if (html === undefined) return sendNotFound(reply, site)
      page = cachedPage(html)
      pages.set(path, page)
    }
    return sendCached(request, reply, page)
  }
  app.get('/', (request, reply) => sendPage(request, reply, ''))
  app.get('/search', async ({ query }, reply) =>
    sendOnce(reply, 200, (await openSite()).search(queryOf(query))),
  )
  app.get('/latchkey-client.tgz', sendLibrary)
  app.get<{ Params: { '*': string } }>('/*', (request, reply) => {
    const path = request.params['*']
    if (!path.endsWith('/')) return sendPage(request, reply, path)
    return reply.redirect(`${root}/${encodeURI(withoutSlashAtEnd(path))}`, 308)
  })
  getOnly(app, openSite)
  app.setErrorHandler(async (error, request, reply) => {
    const fault = classify(error)
    if (fault.kind !== 'client') request.log.error(error)
    const title = fault.kind === 'client' ? 'Malformed request' : 'Something went wrong'
    return sendOnce(reply, fault.status, (await openSite()).fault(title, fault.explanation, request.id))
  })
}

/** In linear time. The regular expression for it takes a fifth of a second for the longest path that an attacker can send. */
function withoutSlashAtEnd(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

const library = new URL('../../dist/latchkey-client.tgz', import.meta.url)

/** The client library of this release, for `npm install ADDRESS`. The build makes the file. */
async function sendLibrary(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply
    .header('cache-control', `public, max-age=${maxAge}`)
    .type('application/gzip')
    .send(await readFile(library))
}

/** The docs, and those of their pages that were requested before. */
type OpenSite = Site & { pages: Map<string, CachedPage> }

/**
 * Reads the sources of the docs when the function that it returns is called for the first time, and again when the sandbox
 * has another application.
 */
function siteOf(
  app: FastifyInstance,
  { config, sandbox }: Context,
  root: string,
  apiDocument: () => unknown,
): () => Promise<OpenSite> {
  const [sheet, script] = [loadSheet(config.brand, 'docs.css'), loadScript('docs.js')]
  for (const asset of [sheet, script]) assetRoute(app, asset)
  const open = async (application: SandboxApplication | undefined) => {
    const { createSite } = await import('./site.tsx')
    const addresses = { root, sheet: root + sheet.path, script: root + script.path }
    const site = await createSite({ ...addresses, config, apiDocument: apiDocument(), application })
    return { ...site, pages: new Map<string, CachedPage>() }
  }
  let opened: { application: SandboxApplication | undefined; site: Promise<OpenSite> } | undefined
  return () => {
    const application = sandbox?.application
    if (!opened || opened.application !== application) {
      const site = open(application)
      opened = { application, site }
      // A request after a failure tries again.
      site.catch(() => {
        opened = undefined
      })
    }
    return opened.site
  }
}

/** Answers all other methods with 405 and `Allow`, before the body is read. */
function getOnly(app: FastifyInstance, openSite: () => Promise<Site>): void {
  for (const url of ['/', '/*']) {
    app.route({
      method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url,
      onRequest: async ({ method, id }, reply) => {
        const site = await openSite()
        reply.header('allow', 'GET, HEAD')
        return sendOnce(
          reply,
          405,
          site.fault('Method not allowed', `The docs take GET and HEAD, not ${method}.`, id),
        )
      },
      handler: () => undefined,
    })
  }
}

function sendNotFound(reply: FastifyReply, site: Site): FastifyReply {
  const text = 'The docs have no page at this address. Search for it above, or look through the contents.'
  return sendOnce(reply, 404, site.fault('Page not found', text, reply.request.id))
}

/** The text to search for. Empty if the parameter is missing or repeated. */
function queryOf(query: unknown): string {
  if (typeof query !== 'object' || query === null || !('q' in query) || typeof query.q !== 'string') return ''
  return query.q.trim().slice(0, longestQuery)
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { classify } from '../http/faults.ts'
import { assetRoute, loadAsset } from '../web/assets.routes.ts'
import { type CachedPage, cachedPage, sendCached, sendOnce } from './send-page.ts'
import type { Site } from './site.tsx'

/**
 * Serves the docs for partners below `{base_url}docs`. They set no cookie and read nothing from the database. The libraries
 * that render them are loaded with the first request, so that the server starts no later.
 */
export function docsRoutes(app: FastifyInstance, { config }: Context, apiDocument: () => unknown): void {
  const root = `${new URL(config.baseUrl).pathname}docs`
  const openSite = siteOf(app, config, root, apiDocument)
  const pages = new Map<string, CachedPage>()

  const sendPage = async (request: FastifyRequest, reply: FastifyReply, path: string) => {
    let page = pages.get(path)
    if (!page) {
      const html = (await openSite()).page(path)
      if (html === undefined) return sendNotFound(reply, await openSite())
      page = cachedPage(html)
      pages.set(path, page)
    }
    return sendCached(request, reply, page)
  }
  app.get('/', (request, reply) => sendPage(request, reply, ''))
  app.get('/search', async ({ query }, reply) =>
    sendOnce(reply, 200, (await openSite()).search(queryOf(query))),
  )
  app.get<{ Params: { '*': string } }>('/*', (request, reply) => {
    const path = request.params['*']
    const withoutSlash = path.replace(/\/+$/, '')
    if (withoutSlash === path) return sendPage(request, reply, path)
    return reply.redirect(`${root}/${encodeURI(withoutSlash)}`, 308)
  })
  getOnly(app, openSite)
  app.setErrorHandler(async (error, request, reply) => {
    const fault = classify(error)
    if (fault.kind !== 'client') request.log.error(error)
    const title = fault.kind === 'client' ? 'Malformed request' : 'Something went wrong'
    return sendOnce(reply, fault.status, (await openSite()).fault(title, fault.explanation, request.id))
  })
}

/** Reads the sources of the docs when the function that it returns is called for the first time. */
function siteOf(
  app: FastifyInstance,
  config: Config,
  root: string,
  apiDocument: () => unknown,
): () => Promise<Site> {
  const [sheet, script] = [loadAsset('docs.css'), loadAsset('docs.js')]
  for (const asset of [sheet, script]) assetRoute(app, asset)
  const open = async () => {
    const { createSite } = await import('./site.tsx')
    const addresses = { root, sheet: root + sheet.path, script: root + script.path }
    return createSite({ ...addresses, config, apiDocument: apiDocument() })
  }
  let site: Promise<Site> | undefined
  return () => {
    site ??= open()
    return site
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

/** What to search for. Anything but one text is nothing. */
function queryOf(query: unknown): string {
  if (typeof query !== 'object' || query === null || !('q' in query) || typeof query.q !== 'string') return ''
  return query.q.trim()
}

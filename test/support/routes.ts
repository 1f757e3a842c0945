import type { FastifyInstance } from 'fastify'

/** A route as the router has it, and what its addresses look like. */
export type Route = { method: string; url: string; pattern: RegExp }

/** Records the routes that are added from now on. */
export function recordRoutes(app: FastifyInstance): Route[] {
  const routes: Route[] = []
  app.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`)
    for (const each of [method].flat()) routes.push({ method: each, url, pattern })
  })
  return routes
}

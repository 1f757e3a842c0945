import fastify, { type FastifyInstance } from 'fastify'

/** A route as the router has it, and what its addresses look like. */
export type Route = { url: string; pattern: RegExp }

/** The routes that `register` adds for one method. */
export async function routesOf(
  method: 'GET' | 'POST',
  register: (app: FastifyInstance) => Promise<void>,
): Promise<Route[]> {
  const urls: string[] = []
  const app = fastify()
  app.addHook('onRoute', (route) => {
    if (route.method === method) urls.push(route.url)
  })
  await register(app)
  await app.ready()
  await app.close()
  return urls.map((url) => ({ url, pattern: new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`) }))
}

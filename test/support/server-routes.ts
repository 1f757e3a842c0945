import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'

export type ServedRoute = { method: string; url: string }

/** Everything that a server serves, as its routes are registered. `create` starts the server. */
export async function withRoutes<T>(create: () => Promise<T>): Promise<{ result: T; routes: ServedRoute[] }> {
  const routes: ServedRoute[] = []
  const listen = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) routes.push({ method: each, url })
    })
  }
  subscribe('fastify.initialization', listen)
  try {
    return { result: await create(), routes }
  } finally {
    unsubscribe('fastify.initialization', listen)
  }
}

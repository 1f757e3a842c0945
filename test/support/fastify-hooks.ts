import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'

/**
 * Calls `addHooks` with the Fastify instance that `create` makes, before it has a route. `create` must make the instance before
 * it awaits anything: otherwise another server that starts meanwhile would get the hooks.
 */
export function withHooks<T>(addHooks: (app: FastifyInstance) => void, create: () => T): T {
  const onInitialization = (message: unknown) => addHooks((message as { fastify: FastifyInstance }).fastify)
  subscribe('fastify.initialization', onInitialization)
  try {
    return create()
  } finally {
    unsubscribe('fastify.initialization', onInitialization)
  }
}

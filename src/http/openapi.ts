import fastifySwagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'

/** OpenAPI from the very schemas that validate: one definition, so the description cannot drift from the server. */
export async function apiDescription(app: FastifyInstance, config: Config): Promise<void> {
  const base = new URL(config.baseUrl).pathname
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Latchkey Partner API',
        version: '1',
        description: 'Read households and their accounts on behalf of a user who connected your application.',
      },
      // Without the slash at its end: generated clients join it with paths that begin with one.
      servers: [{ url: config.baseUrl.replace(/\/$/, ''), description: config.environment }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'The access token; valid for one hour.' },
        },
      },
    },
    // Operations of the API alone, and once: the same routes also answer from the root of the origin.
    transform: ({ schema, url }) =>
      schema?.operationId && url.startsWith(base)
        ? { schema, url: `/${url.slice(base.length)}` }
        : { schema: { ...schema, hide: true }, url },
  })
}

export function apiDescriptionRoute(app: FastifyInstance): void {
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').send(app.swagger()),
  )
}

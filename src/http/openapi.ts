import fastifySwagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'

/** Generates the OpenAPI description from the schemas that validate requests, so it always matches the server. */
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
      // Without the slash at its end, because generated clients append paths that begin with a slash.
      servers: [{ url: config.baseUrl.replace(/\/$/, ''), description: config.environment }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'The access token; valid for one hour.' },
        },
      },
    },
    // Only operations of the API, and each only once: the same routes also answer at the root of the origin.
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

import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { sendPublic } from '../http/send-public.ts'
import { jwksMaxAgeSeconds } from '../keys/lifetimes.ts'
import { resourceMetadataPath } from '../resource/bearer.ts'
import { resourceMetadata, serverMetadata } from './metadata.ts'

/** Seconds for which a client may cache documents that change only with a new version or configuration. */
const metadataMaxAge = 3600

export function discoveryRoutes(app: FastifyInstance, { config, keyring }: Context): void {
  for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
    app.get(path, (_request, reply) => sendPublic(reply, metadataMaxAge, serverMetadata(config)))
  }
  app.get(resourceMetadataPath(config), (_request, reply) =>
    sendPublic(reply, metadataMaxAge, resourceMetadata(config)),
  )
  app.get('/.well-known/jwks.json', async (_request, reply) =>
    sendPublic(reply, jwksMaxAgeSeconds, { keys: await keyring.published() }),
  )
}

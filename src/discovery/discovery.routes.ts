import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Context } from '../context.ts'
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

/** Sends a document that is the same for every client: caches may store it, and scripts of any origin may read it. */
function sendPublic(reply: FastifyReply, maxAge: number, document: object): FastifyReply {
  const body = JSON.stringify(document)
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  reply
    .header('access-control-allow-origin', '*')
    .header('cache-control', `public, max-age=${maxAge}`)
    .header('etag', etag)
  const known = reply.request.headers['if-none-match']?.split(',') ?? []
  // A proxy that compresses the answer makes its strong tag weak (RFC 9110 section 8.8.3).
  if (known.some((tag) => tag.trim().replace(/^W\//, '') === etag)) return reply.status(304).send()
  return reply.type('application/json; charset=utf-8').send(body)
}

import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'

/**
 * Sends a document that is the same for every client: caches may store it for `maxAge` seconds, and scripts of any origin
 * may read it.
 */
export function sendPublic(reply: FastifyReply, maxAge: number, document: object): FastifyReply {
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

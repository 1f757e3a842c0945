import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Coding, codingFor } from '../resource/compression.ts'

/** Seconds for which a browser shows a page without asking whether it has changed. */
export const maxAge = 300

/** Each page is compressed once, so the compression may take longer than that of an API response. */
const compressors = {
  br: (html: string) => promisify(brotliCompress)(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (html: string) => promisify(gzip)(html, { level: 9 }),
}

/** A page that is the same for every reader, and its compressed forms. */
export type CachedPage = { html: string; digest: string; compressed: Map<Coding, Promise<Buffer>> }

export function cachedPage(html: string): CachedPage {
  const digest = createHash('sha256').update(html).digest('base64url').slice(0, 22)
  return { html, digest, compressed: new Map() }
}

export async function sendCached(
  request: FastifyRequest,
  reply: FastifyReply,
  { html, digest, compressed }: CachedPage,
): Promise<FastifyReply> {
  const coding = codingFor(request.headers['accept-encoding'], html)
  const etag = `"${coding ? `${digest}-${coding}` : digest}"`
  reply.headers({
    ...pageHeaders,
    'cache-control': `public, max-age=${maxAge}`,
    vary: 'accept-encoding',
    etag,
  })
  const known = request.headers['if-none-match'] ?? ''
  // All codings have the same content, and a proxy may make the tag weak (RFC 9110 section 8.8.3).
  if (known.includes(`"${digest}`)) return reply.status(304).send()
  reply.type('text/html; charset=utf-8')
  if (!coding) return reply.send(html)
  const body = compressed.get(coding) ?? compressors[coding](html)
  compressed.set(coding, body)
  return reply.header('content-encoding', coding).send(await body)
}

/** A page that depends on the request. */
export function sendOnce(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply
    .status(status)
    .headers({ ...pageHeaders, 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(html)
}

/** Only the sheet and the script of our own origin. The pages cannot be framed. */
const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    'img-src data:',
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'content-language': 'en',
}

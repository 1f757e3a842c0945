import type { FastifyReply } from 'fastify'
import { conditionalHeaders, everyResponse } from '../http/openapi/headers.ts'
import type { Response } from '../http/openapi/operation.ts'
import { codingFor, compressed } from './compression.ts'
import { entityTag, matchingTag } from './conditional.ts'

/** The 304 in the OpenAPI document. */
export const notModified: Response = {
  name: 'NotModified',
  description: 'The page still has a tag of `If-None-Match`. Its links are unchanged too.',
  headers: [...everyResponse, ...conditionalHeaders],
}

/** Sends no `Link`: a cache keeps the one it has (RFC 9111 section 4.3.4), and it is unchanged like the page. */
export function sendNotModified(reply: FastifyReply, tag: string): FastifyReply {
  return withRevalidation(reply, tag).status(304).send()
}

/** `body` is the page's JSON; `etag` comes from `etagOf`. */
export async function sendPage(
  reply: FastifyReply,
  { body, etag, link }: { body: string; etag: string; link?: string | undefined },
): Promise<FastifyReply> {
  const { headers } = reply.request
  const matched = matchingTag(headers['if-none-match'], etag)
  if (matched !== undefined) return sendNotModified(reply, matched)
  const coding = codingFor(headers['accept-encoding'], body)
  if (coding) reply.header('content-encoding', coding)
  if (link) reply.header('link', link)
  withRevalidation(reply, entityTag(etag, coding)).type('application/json; charset=utf-8')
  return reply.send(coding ? await compressed(body, coding) : body)
}

/** Only the client itself may store the page, and has to revalidate it before each use. */
function withRevalidation(reply: FastifyReply, tag: string): FastifyReply {
  return reply
    .header('cache-control', 'private, no-cache')
    .header('vary', 'Authorization, Accept-Encoding')
    .header('etag', tag)
}

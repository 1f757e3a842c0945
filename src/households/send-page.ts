import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { logOnce } from '../http/access-log.ts'
import { codingFor, compressed } from '../http/compression.ts'
import { entityTag, etagOf, heldTag } from './etag.ts'
import { viewOfCaller } from './view.sql.ts'

const conditionalHeaders = {
  ETag: {
    type: 'string',
    description: 'To be sent back in `If-None-Match`; another for each content coding.',
  },
  'Cache-Control': { type: 'string', const: 'private, no-cache' },
  Vary: { type: 'string' },
}

/** What is sent here, for the description of the API. */
export const pageHeaders = {
  ...conditionalHeaders,
  Link: { type: 'string', description: 'Other pages, by `rel` (RFC 8288); absent where there are none.' },
}
export const notModified = {
  description: 'The page is still the one of a tag in `If-None-Match`; so are its links.',
  type: 'null',
  headers: conditionalHeaders,
}

/**
 * The tag under which the client has the page, when that is still what it would get; the page itself isn't read for it.
 * Undefined: read it, also to refuse the call. Only a page that was sent has a tag, so nothing else need be checked.
 * @throws {DatabaseUnavailable}
 */
export async function stillHeld(
  { database, keys, usage }: Context,
  request: FastifyRequest,
  tokenHash: Buffer,
  place: object,
): Promise<string | undefined> {
  const ifNoneMatch = request.headers['if-none-match']
  if (ifNoneMatch === undefined || ifNoneMatch === '*') return undefined
  const caller = await database.maybe(viewOfCaller, [tokenHash])
  const tag = caller && heldTag(ifNoneMatch, etagOf(keys.etag, caller.view, place))
  if (caller === undefined || tag === undefined) return undefined
  const { grant_id, used_at, client_id, user_id } = caller
  logOnce(request, { event: 'read', outcome: 'not_modified', client_id, user_id })
  usage.used(grant_id, used_at)
  return tag
}

/** Without `Link`: a cache keeps the one it has (RFC 9111 section 4.3.4), which is as unchanged as the page. */
export function sendNotModified(reply: FastifyReply, tag: string): FastifyReply {
  return revalidated(reply, tag).status(304).send()
}

/** `body` is the page's JSON; `etag` as `etagOf` makes it. */
export async function sendPage(
  reply: FastifyReply,
  { body, etag, link }: { body: string; etag: string; link?: string | undefined },
): Promise<FastifyReply> {
  const { headers } = reply.request
  const held = heldTag(headers['if-none-match'], etag)
  if (held !== undefined) return sendNotModified(reply, held)
  const coding = codingFor(headers['accept-encoding'], body)
  if (coding) reply.header('content-encoding', coding)
  if (link) reply.header('link', link)
  revalidated(reply, entityTag(etag, coding)).type('application/json; charset=utf-8')
  return reply.send(coding ? await compressed(body, coding) : body)
}

/** Only the client itself may keep it, and asks each time whether it may still see it. */
function revalidated(reply: FastifyReply, tag: string): FastifyReply {
  return reply
    .header('cache-control', 'private, no-cache')
    .header('vary', 'Authorization, Accept-Encoding')
    .header('etag', tag)
}

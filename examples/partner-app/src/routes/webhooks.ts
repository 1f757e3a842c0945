import type { ServerResponse } from 'node:http'
import { type Latchkey, type TokenStore, verifyWebhook, type WebhookEvent } from '@latchkey/client'
import type { FastifyInstance } from 'fastify'
import { sessionCookie } from '../cookies.ts'
import { Refused } from '../errors.ts'

/** An open page: which connection it belongs to, and where it listens. */
interface OpenPage {
  sessionId: string
  page: ServerResponse
}

/** Runs in the pages of a connected browser. Shows the end of the connection without a reload. */
export const liveScript = `
const events = new EventSource('/events')
events.addEventListener('ended', ({ data }) => {
  events.close()
  const ending = document.getElementById('ending').content.cloneNode(true)
  ending.querySelector('h1').textContent = data
  document.querySelector('main').replaceChildren(ending)
})
`

/** Receives the events of the platform at /webhooks, and tells the open pages of the user at /events. */
export function registerWebhooks(
  app: FastifyInstance,
  latchkey: Latchkey,
  store: TokenStore,
  secret: string | undefined,
) {
  /** By subject: the id by which the platform names a user to this app. */
  const openPages = new Map<string, Set<OpenPage>>()

  app.get('/events', async (request, reply) => {
    const sessionId = request.cookies[sessionCookie] ?? ''
    // 204 tells the browser not to try again.
    if (secret === undefined || (await store.get(sessionId)) === undefined) return reply.code(204).send()
    const { sub } = await latchkey.client(sessionId).userInfo()
    const open = { sessionId, page: reply.raw }
    openPages.set(sub, (openPages.get(sub) ?? new Set()).add(open))
    reply.raw.on('close', () => openPages.get(sub)?.delete(open))
    reply.hijack()
    const headers = { ...reply.getHeaders(), 'content-type': 'text/event-stream' }
    reply.raw.writeHead(200, headers as Record<string, string>).write(': open\n\n')
  })

  async function endConnections({ data }: WebhookEvent) {
    const subject = String(data.subject)
    for (const { sessionId, page } of openPages.get(subject) ?? []) {
      await store.delete(sessionId)
      page.end(`event: ended\ndata: ${endings[String(data.by)] ?? 'Disconnected'}\n\n`)
    }
    openPages.delete(subject)
  }

  app.register(async (receiver) => {
    // The signature is over the text as it was sent.
    receiver.addContentTypeParser(
      'application/json',
      { parseAs: 'string' },
      async (_request: unknown, body: unknown) => body,
    )
    receiver.post('/webhooks', async (request, reply) => {
      if (secret === undefined) throw new Refused(404, 'Not found', 'This page does not exist.')
      const event = verifyWebhook(secret, request.headers, String(request.body))
      if (event.type === 'grant.revoked') await endConnections(event)
      return reply.code(204).send()
    })
  })
}

const endings: Record<string, string> = {
  user: 'Disconnected by the user',
  operator: 'Disconnected by the platform',
  expiry: 'The consent has expired',
}

import { randomUUID } from 'node:crypto'
import type { Latchkey, TokenStore } from '@latchkey/client'
import type { FastifyInstance } from 'fastify'
import { attemptCookie, sessionCookie } from '../cookies.ts'
import { HomePage } from '../pages/home.tsx'
import { sendPage } from '../pages/layout.tsx'

const monthSeconds = 30 * 24 * 60 * 60

export function registerConnect(app: FastifyInstance, latchkey: Latchkey, store: TokenStore) {
  app.get('/', async (request, reply) => {
    const connected = (await store.get(request.cookies[sessionCookie] ?? '')) !== undefined
    return sendPage(reply, <HomePage connected={connected} />)
  })

  app.post('/connect', async (_request, reply) => {
    const { url, attempt } = latchkey.startConnecting()
    reply.setCookie(attemptCookie, attempt, { path: '/callback', maxAge: 60 * 60 })
    return reply.redirect(url.href, 303)
  })

  app.get('/callback', async (request, reply) => {
    const attempt = request.cookies[attemptCookie]
    reply.clearCookie(attemptCookie, { path: '/callback' })
    // Session fixation: every connection gets a new session id, so an id that an attacker has set is never used.
    const sessionId = randomUUID()
    await latchkey.handleCallback({ request, attempt, key: sessionId })
    reply.setCookie(sessionCookie, sessionId, { maxAge: monthSeconds })
    return reply.redirect('/households', 303)
  })

  app.post('/disconnect', async (request, reply) => {
    await latchkey.client(request.cookies[sessionCookie] ?? '').disconnect()
    reply.clearCookie(sessionCookie)
    return reply.redirect('/', 303)
  })
}

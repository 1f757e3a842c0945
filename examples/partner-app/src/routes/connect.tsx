import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Attempt, type Authorization } from '../authorization.ts'
import type { Connections } from '../connections.ts'
import { attemptCookie, sessionCookie } from '../cookies.ts'
import { Refused } from '../errors.ts'
import { HomePage } from '../pages/home.tsx'
import { sendPage } from '../pages/layout.tsx'
import { parseJson } from '../parse-json.ts'

const monthSeconds = 30 * 24 * 60 * 60

export function registerConnect(
  app: FastifyInstance,
  partnerUrl: URL,
  authorization: Authorization,
  connections: Connections,
) {
  app.get('/', (request, reply) => {
    const connected = connections.get(request.cookies[sessionCookie]) !== undefined
    return sendPage(reply, <HomePage connected={connected} />)
  })

  app.post('/connect', async (_request, reply) => {
    const { attempt, url } = await authorization.start()
    reply.setCookie(attemptCookie, JSON.stringify(attempt), { path: '/callback', maxAge: 60 * 60 })
    return reply.redirect(url.href, 303)
  })

  app.get('/callback', async (request, reply) => {
    const attempt = request.cookies[attemptCookie]
    reply.clearCookie(attemptCookie, { path: '/callback' })

    const callback = new URL(request.url, partnerUrl)
    const tokens = await authorization.finish(callback, readAttempt(attempt, callback))

    // Session fixation: every connection gets a new session id, so an id that an attacker has set is never used.
    const sessionId = randomUUID()
    connections.put(sessionId, tokens)
    reply.setCookie(sessionCookie, sessionId, { maxAge: monthSeconds })
    return reply.redirect('/households', 303)
  })

  app.post('/disconnect', async (request, reply) => {
    const sessionId = request.cookies[sessionCookie]
    const tokens = connections.get(sessionId)
    if (sessionId !== undefined && tokens !== undefined) {
      await authorization.revoke(tokens.refreshToken)
      connections.delete(sessionId)
    }
    reply.clearCookie(sessionCookie)
    return reply.redirect('/', 303)
  })
}

function readAttempt(cookie: string | undefined, callback: URL): Attempt {
  const attempt = cookie === undefined ? undefined : parseJson(Attempt, cookie)
  if (attempt?.state !== callback.searchParams.get('state')) {
    throw new Refused(
      400,
      'Not connected',
      'This login was not started in this browser, or a newer login replaced it.',
    )
  }
  return attempt
}

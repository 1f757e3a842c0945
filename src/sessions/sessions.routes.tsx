import type { FastifyInstance } from 'fastify'
import { originValue, pageOrigin } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import Type, { type Static } from '../typebox.ts'
import type { Web } from '../web/page-edge.tsx'
import { sendAccountPage } from './account-page.tsx'
import { endOtherSessions, endSessionOfUser, sessionsOfUser } from './sessions.sql.ts'
import { liveSession } from './sessions.ts'
import { Sessions } from './sessions-page.tsx'

const EndForm = Type.Object({ session: Type.String({ pattern: '^[0-9]{1,18}$' }) })

/** The browsers in which the user is logged in. */
export function sessionRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const { database } = context
  const login = '/login?page=sessions'

  app.get('/sessions', async (request, reply) => {
    const session = await liveSession(request, context)
    if (!session) return reply.redirect(login, 303)
    const sessions = await database.run(sessionsOfUser, [session.user_id, session.hash])
    return sendAccountPage({
      web,
      reply,
      session,
      page: 'sessions',
      localTimes: true,
      body: (csrf, texts) => <Sessions sessions={sessions} csrf={csrf} texts={texts} />,
    })
  })

  app.post<{ Body: Static<typeof EndForm> }>(
    '/sessions/end',
    { schema: { body: EndForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const session = await liveSession(request, context)
      if (!session) return reply.redirect(login, 303)
      const origin = originValue(pageOrigin(request, session.user_id))
      const ended = await database.maybe(endSessionOfUser, [session.user_id, request.body.session, origin])
      request.log.info({ event: 'end_session', outcome: ended ? 'ended' : 'none', user_id: session.user_id })
      return reply.redirect('/sessions', 303)
    },
  )

  app.post('/sessions/end-others', { preValidation: web.ownForm }, async (request, reply) => {
    const session = await liveSession(request, context)
    if (!session) return reply.redirect(login, 303)
    const origin = originValue(pageOrigin(request, session.user_id))
    const ended = await database.run(endOtherSessions, [session.user_id, session.hash, origin])
    request.log.info({ event: 'end_other_sessions', ended: ended.length, user_id: session.user_id })
    return reply.redirect('/sessions', 303)
  })
}

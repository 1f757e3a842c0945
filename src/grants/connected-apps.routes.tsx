import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import type { Context } from '../context.ts'
import { sendAccountPage } from '../sessions/account-page.tsx'
import { liveSession } from '../sessions/sessions.ts'
import type { Web } from '../web/edge.tsx'
import { EndedGrants, LiveGrants } from './connected-apps-page.tsx'
import { endedGrantsOfUser, liveGrantsOfUser, revokeGrant } from './grants.sql.ts'

const DisconnectForm = Type.Object({ grant: Type.String({ pattern: '^[0-9]{1,18}$' }) })

/** The user's connected apps. */
export function connectedAppRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const { database } = context

  app.get('/connections', async (request, reply) => {
    const session = await liveSession(request, context)
    if (!session) return reply.redirect('/login', 303)
    const [live, ended] = await Promise.all([
      database.run(liveGrantsOfUser, [session.user_id]),
      database.run(endedGrantsOfUser, [session.user_id]),
    ])
    return sendAccountPage({
      web,
      reply,
      session,
      page: 'connections',
      body: (csrf, texts) => (
        <>
          <LiveGrants grants={live} csrf={csrf} texts={texts} />
          <EndedGrants grants={ended} texts={texts} />
        </>
      ),
    })
  })

  app.post<{ Body: Static<typeof DisconnectForm> }>(
    '/connections/disconnect',
    { schema: { body: DisconnectForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const session = await liveSession(request, context)
      if (!session) return reply.redirect('/login', 303)
      const ended = await database.maybe(revokeGrant, [request.body.grant, session.user_id])
      request.log.info({
        event: 'disconnect',
        outcome: ended ? 'disconnected' : 'none',
        user_id: session.user_id,
        client_id: ended?.client_id ?? null,
      })
      return reply.redirect('/connections', 303)
    },
  )
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import type { Context } from '../context.ts'
import type { Web } from '../http/web-edge.tsx'
import { HiddenFields } from '../pages/parts.tsx'
import { sessionHash } from '../sessions/session-cookie.ts'
import { findSession } from '../sessions/sessions.sql.ts'
import { type Grant, grantsOfUser, revokeGrant } from './grants.sql.ts'

const DisconnectForm = Type.Object({ grant: Type.String({ pattern: '^[0-9]{1,18}$' }) })

/** The user's connected apps: what is shared with whom, and the button that ends it. */
export function connectionRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const { config, database } = context

  const userOf = async (request: FastifyRequest) => {
    const hash = sessionHash(request, config)
    return hash ? database.maybe(findSession, [hash, null]) : undefined
  }

  app.get('/connections', async (request, reply) => {
    const user = await userOf(request)
    if (!user) return reply.redirect('/login', 303)
    const grants = await database.run(grantsOfUser, [user.user_id])
    const page = <ConnectionsPage userName={user.user_name} grants={grants} csrf={web.csrfToken(reply)} />
    return web.page(reply, await web.texts(request), 200, 'Connected apps', page, { wide: true })
  })

  app.post<{ Body: Static<typeof DisconnectForm> }>(
    '/connections/disconnect',
    { schema: { body: DisconnectForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const user = await userOf(request)
      if (!user) return reply.redirect('/login', 303)
      const ended = await database.maybe(revokeGrant, [request.body.grant, user.user_id])
      request.log.info({
        event: 'disconnect',
        outcome: ended ? 'disconnected' : 'none',
        user_id: user.user_id,
        client_id: ended?.client_id ?? null,
      })
      return reply.redirect('/connections', 303)
    },
  )
}

function ConnectionsPage(props: { userName: string; grants: Grant[]; csrf: string }) {
  return (
    <>
      <h1>Connected apps</h1>
      <p>
        You are logged in as <strong>{props.userName}</strong>. Each application below may read the households
        that you can see, and their active accounts, until you disconnect it. Disconnecting works at once.
      </p>
      {props.grants.length === 0 && <p>No application is connected.</p>}
      {props.grants.map((grant) => (
        <article key={grant.id}>
          <h2>
            <bdi>{grant.partner_name}</bdi>
          </h2>
          <p>
            At <strong>{new URL(grant.redirect_uri).host}</strong>, connected since{' '}
            {grant.created_at.toISOString().slice(0, 10)}.
          </p>
          <form method="post" action="/connections/disconnect">
            <HiddenFields csrf={props.csrf} />
            <input type="hidden" name="grant" value={grant.id} />
            <button type="submit" class="secondary" aria-label={`Disconnect ${grant.partner_name}`}>
              Disconnect
            </button>
          </form>
        </article>
      ))}
      <form method="post" action="/logout">
        <HiddenFields csrf={props.csrf} />
        <button type="submit" class="aside">
          Log out
        </button>
      </form>
    </>
  )
}

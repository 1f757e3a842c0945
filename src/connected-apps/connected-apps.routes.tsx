import type { FastifyInstance } from 'fastify'
import { pageOrigin } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { renewGrant, revokeGrant } from '../grants/grants.ts'
import { sendAccountPage } from '../sessions/account-page.tsx'
import { liveSession } from '../sessions/sessions.ts'
import Type, { type Static } from '../typebox.ts'
import type { Web } from '../web/page-edge.tsx'
import { isolated } from '../web/parts.tsx'
import { endedGrantsOfUser, liveGrantsOfUser, shownDays } from './connected-apps.sql.ts'
import { DisconnectPage, EndedGrants, LiveGrants } from './connected-apps-page.tsx'
import { HouseholdReads } from './household-reads-page.tsx'
import { findOwnGrant, listHouseholdsOfOwnGrant } from './own-reads.sql.ts'

const ChosenGrant = Type.Object({ grant: Type.String({ pattern: '^[0-9]{1,18}$' }) })

/** The pages on which users see and disconnect their connected apps. */
export function connectedAppRoutes(app: FastifyInstance, context: Context, web: Web): void {
  list(app, context, web)
  disconnect(app, context, web)
  renew(app, context, web)
  householdReads(app, context, web)
}

const ReadsQuery = Type.Object({
  ...ChosenGrant.properties,
  after: Type.Optional(Type.String({ pattern: '^[0-9]{1,9}$' })),
})

/** Households on a page. */
const readsOnPage = 100

/** Which households an application has read. A grant of another user is not found. */
function householdReads(app: FastifyInstance, context: Context, web: Web): void {
  const { database } = context
  app.get<{ Querystring: Static<typeof ReadsQuery> }>(
    '/connections/reads',
    { schema: { querystring: ReadsQuery } },
    async (request, reply) => {
      const session = await liveSession(request, context)
      if (!session) return reply.redirect('/login', 303)
      const { grant: grantId, after = '0' } = request.query
      const since = firstShownDay(context.now())
      const grant = await database.maybe(findOwnGrant, [grantId, session.user_id, since])
      if (!grant) return reply.redirect('/connections', 303)
      const values = [grantId, since, Number(after), readsOnPage + 1, session.user_id]
      const rows = await database.run(listHouseholdsOfOwnGrant, values)
      const households = rows.slice(0, readsOnPage)
      const next = rows.length > readsOnPage ? households.at(-1)?.number : undefined
      const { partner_name: partnerName, households: total } = grant
      return sendAccountPage({
        web,
        reply,
        session,
        page: 'connections',
        body: (_csrf, texts) => (
          <HouseholdReads {...{ texts, grantId, partnerName, total, households, next }} />
        ),
      })
    },
  )
}

/** In UTC. */
function firstShownDay(now: Date): string {
  return new Date(now.getTime() - (shownDays - 1) * 24 * 3600 * 1000).toISOString().slice(0, 10)
}

/** The days for which a consent is valid by default, as a parameter of the statements. */
const defaultDays = ({ config }: Context) => config.grantLifetimeDays ?? null

function list(app: FastifyInstance, context: Context, web: Web): void {
  const { database } = context

  app.get('/connections', async (request, reply) => {
    const session = await liveSession(request, context)
    if (!session) return reply.redirect('/login', 303)
    const [live, ended] = await Promise.all([
      database.run(liveGrantsOfUser, [session.user_id, defaultDays(context)]),
      database.run(endedGrantsOfUser, [session.user_id]),
    ])
    return sendAccountPage({
      web,
      reply,
      session,
      page: 'connections',
      localTimes: true,
      body: (csrf, texts) => (
        <>
          <LiveGrants grants={live} csrf={csrf} texts={texts} />
          <EndedGrants grants={ended} texts={texts} />
        </>
      ),
    })
  })
}

function disconnect(app: FastifyInstance, context: Context, web: Web): void {
  const { database } = context
  app.get<{ Querystring: Static<typeof ChosenGrant> }>(
    '/connections/disconnect',
    { schema: { querystring: ChosenGrant } },
    async (request, reply) => {
      const session = await liveSession(request, context)
      if (!session) return reply.redirect('/login', 303)
      const grants = await database.run(liveGrantsOfUser, [session.user_id, defaultDays(context)])
      const grant = grants.find(({ id }) => id === request.query.grant)
      // The grant has ended, or belongs to another user. The list shows the grants that the user can disconnect.
      if (!grant) return reply.redirect('/connections', 303)
      const texts = web.texts(request)
      const body = <DisconnectPage grant={grant} csrf={web.csrfToken(reply)} texts={texts} />
      const title = texts.connections.disconnectPage.heading(isolated(grant.partner_name))
      return web.page({ reply, texts, title, body, localTimes: true })
    },
  )

  app.post<{ Body: Static<typeof ChosenGrant> }>(
    '/connections/disconnect',
    { schema: { body: ChosenGrant }, preValidation: web.ownForm },
    async (request, reply) => {
      const session = await liveSession(request, context)
      if (!session) return reply.redirect('/login', 303)
      const origin = pageOrigin(request, session.user_id)
      const of = { id: request.body.grant, userId: session.user_id }
      const ended = await revokeGrant(database, origin, of)
      request.log.info({
        event: 'disconnect',
        outcome: ended ? 'disconnected' : 'none',
        user_id: session.user_id,
        client_id: ended?.clientId ?? null,
      })
      return reply.redirect('/connections', 303)
    },
  )
}

function renew(app: FastifyInstance, context: Context, web: Web): void {
  app.post<{ Body: Static<typeof ChosenGrant> }>(
    '/connections/renew',
    { schema: { body: ChosenGrant }, preValidation: web.ownForm },
    async (request, reply) => {
      const session = await liveSession(request, context)
      if (!session) return reply.redirect('/login', 303)
      const { database, config } = context
      const origin = pageOrigin(request, session.user_id)
      const of = { id: request.body.grant, userId: session.user_id, defaultDays: config.grantLifetimeDays }
      const renewed = await renewGrant(database, origin, of)
      request.log.info({
        event: 'renew',
        outcome: renewed ? 'renewed' : 'none',
        user_id: session.user_id,
        client_id: renewed?.clientId ?? null,
      })
      return reply.redirect('/connections', 303)
    },
  )
}

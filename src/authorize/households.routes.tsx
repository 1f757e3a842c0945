import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { listHouseholdsOfUser } from '../households/user-households.sql.ts'
import { findPartner } from '../partners/partners.sql.ts'
import { liveSession } from '../sessions/sessions.ts'
import Type, { type Static } from '../typebox.ts'
import type { Web } from '../web/page-edge.tsx'
import { isolated } from '../web/parts.tsx'
import { acrRequestOf } from './acr-request.ts'
import { HouseholdsPage } from './households-page.tsx'
import { nextStep } from './next-step.ts'
import { sendOutdated } from './outdated-request.tsx'
import { openPageRequest } from './page-request.ts'

const HouseholdsQuery = Type.Object({
  request: Type.String(),
  page: Type.Optional(Type.String({ pattern: '^[0-9]{1,7}$' })),
})

const pageSize = 100

/**
 * The page that the connect page links to: all households that the application would see. It shows them to the user who is
 * logged in, and changes nothing. Where the connect page would not be shown, it redirects to it, and that page decides.
 */
export function householdsPageRoutes(app: FastifyInstance, context: Context, web: Web): void {
  app.get<{ Querystring: Static<typeof HouseholdsQuery> }>(
    '/connect/households',
    { schema: { querystring: HouseholdsQuery } },
    async (request, reply) => {
      const { request: sealed, page = '0' } = request.query
      const { authorization: opened, texts } = openPageRequest(context, request)
      if (opened.kind !== 'open') return sendOutdated({ web, reply, texts, opened })
      const { clientId } = opened.request
      const partner = await context.database.maybe(findPartner, [clientId])
      const session = await liveSession(request, context, clientId)
      const next = nextStep(opened.request, session, acrRequestOf(opened.request, partner), context.now())
      if (partner?.status !== 'active' || next.kind !== 'connect') {
        return reply.redirect(`/connect?${new URLSearchParams({ request: sealed })}`, 303)
      }
      const number = Number(page)
      const { households, names } = await context.database.listing.one(listHouseholdsOfUser, [
        next.session.user_id,
        pageSize,
        number * pageSize,
      ])
      const body = (
        <HouseholdsPage
          texts={texts}
          request={sealed}
          partnerName={partner.name}
          names={names}
          households={households}
          page={number}
          pageSize={pageSize}
        />
      )
      const title = texts.connect.householdsPage.heading(isolated(partner.name))
      return web.page({ reply, texts, title, body, wide: true })
    },
  )
}

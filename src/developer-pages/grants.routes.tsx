import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { connectionsOfGrant, findPartnerGrant, pageOfPartnerGrants } from '../grants/partner-grants.sql.ts'
import { isRowId } from '../management/page.ts'
import { Field, Filters, Select } from '../panel/forms.tsx'
import { PageHead } from '../panel/page-parts.tsx'
import { filled, listQuery, listRequest, pageOfRows } from '../panel/paging.ts'
import { requestsOfPartner } from '../request-log/partner-requests.ts'
import type { Static } from '../typebox.ts'
import { developerPage } from './developer-page.ts'
import type { DeveloperWeb } from './edge.ts'
import { GrantPage, GrantTable } from './grant-pages.tsx'
import { appUrl, IdParams, type IdRoute, showMissing } from './parts.tsx'
import { appAddress } from './shell.tsx'

const states = { live: 'Live', ended: 'Ended', all: 'Live and ended' }

/** Connections of a grant, and calls of it, that its page shows. */
const mostShown = 20

/** Which users have connected the application. On users' pages, a grant is a connected app. */
export function grantRoutes(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  list(app, context, web)
  oneGrant(app, context, web)
}

function list(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const querystring = listQuery('subject', 'state')
  developerPage<{ Querystring: Static<typeof querystring> }>(
    app,
    context,
    web,
    { url: `${appUrl}/grants`, role: 'viewer', isExpensive: true, schema: { querystring } },
    async ({ request, app: { clientId, name }, show }) => {
      const subject = filled(request.query.subject)
      const chosen = filled(request.query.state) ?? (subject === undefined ? 'live' : 'all')
      const state = Object.hasOwn(states, chosen) ? chosen : 'live'
      const page = listRequest(request.query)
      const after = page.after !== null && isRowId(page.after) ? page.after : null
      const values = [clientId, after, page.limit, subject ?? null, state]
      const found = await context.database.expensive.run(pageOfPartnerGrants, values)
      const { rows, next } = pageOfRows(request, page, found, ({ id }) => id)
      const body = (
        <>
          <PageHead
            title="Grants"
            intro={
              <>
                Which users have connected <bdi>{name}</bdi>, by the <code>sub</code> that you know. Each user
                has another one for each application.
              </>
            }
          />
          <Filters action={appAddress({ clientId }, '/grants')}>
            <Field name="subject" label="User: sub" value={subject} maxLength={100} />
            <Select name="state" label="State" value={state} choices={states} />
          </Filters>
          <GrantTable
            clientId={clientId}
            grants={rows}
            next={next}
            isFiltered={subject !== undefined || state !== 'live'}
          />
        </>
      )
      return show({ title: 'Grants', section: 'grants', body })
    },
  )
}

function oneGrant(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { config, database } = context
  developerPage<IdRoute>(
    app,
    context,
    web,
    { url: `${appUrl}/grants/:id`, role: 'viewer', isExpensive: true, schema: { params: IdParams } },
    async ({ request, app: { clientId }, show }) => {
      const { id } = request.params
      const grant = isRowId(id) ? await database.maybe(findPartnerGrant, [clientId, id]) : undefined
      if (!grant) return showMissing(show, 'grants', 'grant')
      const part = { after: null, limit: mostShown }
      const [connections, calls] = await Promise.all([
        database.run(connectionsOfGrant, [clientId, id, mostShown]),
        requestsOfPartner(database, config.baseUrl, clientId, { grantId: id }, part),
      ])
      const body = (
        <GrantPage
          clientId={clientId}
          grant={grant}
          connections={connections}
          calls={calls.kind === 'requests' ? calls.requests : []}
        />
      )
      return show({ title: `Grant ${id}`, section: 'grants', body })
    },
  )
}

import type { FastifyInstance } from 'fastify'
import { listAudit } from '../audit/list.ts'
import type { Context } from '../context.ts'
import { foldedUnlessId } from '../directory/users.ts'
import { findGrant, type Grant, pageOfGrants } from '../grants/grants.sql.ts'
import { revokeGrant } from '../grants/grants.ts'
import { isRowId } from '../management/page.ts'
import { may } from '../operators/scopes.ts'
import { DoneQuery, pathText } from '../panel/fields.ts'
import { Field, Filters, PostForm, Select } from '../panel/forms.tsx'
import { Done, Exact, Facts, Id, PageHead, Section } from '../panel/page-parts.tsx'
import { filled, listQuery, listRequest, pageOfRows } from '../panel/paging.ts'
import Type, { type Static } from '../typebox.ts'
import { AuditTable } from './audit-table.tsx'
import type { ConsoleWeb } from './edge.ts'
import { GrantState, GrantTable } from './grant-table.tsx'
import { showMissing } from './missing.tsx'
import { operatorPage } from './operator-page.ts'

const url = '/admin/grants'
const params = Type.Object({ id: pathText })
type GrantRoute = { Params: Static<typeof params> }

/** Which user has connected which partner. On users' pages a grant is a connected app. */
export function grantRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  list(app, context, web)
  oneGrant(app, context, web)
}

function list(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const querystring = listQuery('user', 'client_id', 'state')
  operatorPage<{ Querystring: Static<typeof querystring> }>(
    app,
    context,
    web,
    { url, scope: 'grants:read', schema: { querystring } },
    async ({ request, show }) => {
      const [user, clientId] = [filled(request.query.user), filled(request.query.client_id)]
      const withEnded = request.query.state === 'all'
      const page = listRequest(request.query)
      const after = page.after !== null && isRowId(page.after) ? page.after : null
      const filters = [user === undefined ? null : foldedUnlessId(user), clientId ?? null, withEnded]
      const found = await context.database.run(pageOfGrants, [after, page.limit, ...filters])
      const { rows, next } = pageOfRows(request, page, found, ({ id }) => id)
      const isFiltered = user !== undefined || clientId !== undefined
      const body = (
        <>
          <PageHead
            title="Grants"
            intro="Which user lets which application read. Each connection and its tokens belong to a grant."
          />
          <Filters action={url}>
            <Field name="user" label="User: id or email address" value={user} maxLength={254} />
            <Field name="client_id" label="Partner: client id" value={clientId} maxLength={100} />
            <Select
              name="state"
              label="State"
              value={withEnded ? 'all' : ''}
              choices={{ '': 'Live', all: 'Live and ended' }}
            />
          </Filters>
          <GrantTable
            grants={rows}
            next={next}
            empty={
              isFiltered ? (
                <>
                  No grant matches. <a href={`${url}?state=all`}>Show all, also those that have ended</a>
                </>
              ) : (
                'No user has connected an application yet. Register a partner, and its users can connect it.'
              )
            }
          />
        </>
      )
      return show({ title: 'Grants', section: 'grants', body })
    },
  )
}

function oneGrant(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database } = context
  operatorPage<GrantRoute & { Querystring: Static<typeof DoneQuery> }>(
    app,
    context,
    web,
    { url: `${url}/:id`, scope: 'grants:read', schema: { params, querystring: DoneQuery } },
    async ({ request, operator, csrf, show }) => {
      const { id } = request.params
      const grant = isRowId(id) ? await database.maybe(findGrant, [id]) : undefined
      if (!grant) return showMissing(show, 'grants', 'grant')
      const { records } = await listAudit(database, { targetKind: 'grant', targetId: id }, { limit: 10 })
      const body = (
        <>
          <PageHead
            title={
              <>
                <bdi>{grant.partner_name}</bdi> for <bdi>{grant.email}</bdi>
              </>
            }
            back={{ label: 'Grants', href: url }}
          />
          {request.query.done === 'ended' && (
            <Done>The grant has ended. Its tokens are refused. The user can connect again.</Done>
          )}
          <GrantFacts grant={grant} />
          {grant.revoked_at === null && may(operator, 'grants:write') && <EndGrant id={id} csrf={csrf} />}
          <Section id="changes" title="Its history">
            <AuditTable records={records} empty="Nothing is recorded about this grant." />
          </Section>
        </>
      )
      return show({ title: 'Grant', section: 'grants', body })
    },
  )
  operatorPage<GrantRoute>(
    app,
    context,
    web,
    { method: 'POST', url: `${url}/:id/end`, scope: 'grants:write', schema: { params } },
    async ({ request, reply, origin, show }) => {
      const { id } = request.params
      const revoked = await revokeGrant(database, origin, { id })
      if (!revoked) return showMissing(show, 'grants', 'live grant')
      return reply.redirect(`${url}/${id}?done=ended`, 303)
    },
  )
}

function GrantFacts({ grant }: { grant: Grant }) {
  const { id, user_id: user, client_id: client } = grant
  return (
    <section aria-label="Facts">
      <Facts
        items={{
          Id: <Id>{id}</Id>,
          State: <GrantState grant={grant} />,
          Partner: (
            <a href={`/admin/partners/${encodeURIComponent(client)}`}>
              <bdi>{grant.partner_name}</bdi>
            </a>
          ),
          User: (
            <a href={`/admin/users/${encodeURIComponent(user)}`}>
              <Id>{user}</Id>
            </a>
          ),
          Connected: <Exact at={grant.created_at} />,
          [grant.revoked_at === null ? 'Ends' : 'Ended']: (
            <Exact at={grant.revoked_at ?? grant.expires_at} none="no end" />
          ),
          'Returns users to': <bdi>{grant.redirect_uri}</bdi>,
          'What it has read': <a href={`/admin/reads/${id}`}>Households of this grant</a>,
          Calls: <a href={`/admin/requests?grant_id=${id}`}>Calls of this grant</a>,
        }}
      />
    </section>
  )
}

function EndGrant({ id, csrf }: { id: string; csrf: string }) {
  return (
    <section class="danger-zone" aria-labelledby="end">
      <div class="section-head">
        <h2 id="end">End the grant</h2>
      </div>
      <p>From the next request on, the application cannot read for this user. The user can connect again.</p>
      <PostForm action={`${url}/${id}/end`} csrf={csrf} class="one-button">
        <button type="submit" class="secondary danger">
          End the grant
        </button>
      </PostForm>
    </section>
  )
}

import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { findGrant } from '../grants/grants.sql.ts'
import { isRowId } from '../management/page.ts'
import { pathText } from '../panel/fields.ts'
import { Field, Filters } from '../panel/forms.tsx'
import { amount, Faults, Id, PageHead } from '../panel/page-parts.tsx'
import { filled, listQuery, listRequest, pageOfRows } from '../panel/paging.ts'
import { Table } from '../panel/table.tsx'
import type { ReadHousehold } from '../read-log/reads.sql.ts'
import { listHouseholdsRead, listReads, placeOfRead, type ReadsOutcome } from '../read-log/reads.ts'
import Type, { IsDate, type Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { operatorPage } from './operator-page.ts'
import { ReadTable } from './read-table.tsx'

const url = '/admin/reads'

/** Which application read which household, and when. */
export function readRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  list(app, context, web)
  households(app, context, web)
}

function list(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  const querystring = listQuery('household_id', 'user_id', 'client_id', 'since')
  operatorPage<{ Querystring: Static<typeof querystring> }>(
    app,
    context,
    web,
    { url, scope: 'logs:read', schema: { querystring } },
    async ({ request, show }) => {
      const { query } = request
      const [householdId, userId] = [filled(query.household_id), filled(query.user_id)]
      const [clientId, since] = [filled(query.client_id), filled(query.since)]
      const hasFilter = [householdId, userId, clientId].some((value) => value !== undefined)
      const isDay = since === undefined || IsDate(since)
      const page = listRequest(query)
      const filter = { householdId, userId, clientId, since }
      const outcome: ReadsOutcome =
        hasFilter && isDay ? await listReads(database, filter, page) : { kind: 'reads', reads: [] }
      const found = outcome.kind === 'reads' ? outcome.reads : []
      const { rows, next } = pageOfRows(request, page, found, placeOfRead)
      const faults = isDay ? [] : ['Write the first day as 2026-11-22.']
      const body = (
        <>
          <PageHead
            title="Reads"
            intro={`Which application read which household, and when. Kept for ${config.readLogMonths} months.`}
          />
          <Filters action={url}>
            <Field name="household_id" label="Household: id" value={householdId} maxLength={64} />
            <Field name="user_id" label="User: id" value={userId} maxLength={64} />
            <Field name="client_id" label="Partner: client id" value={clientId} maxLength={100} />
            <Field name="since" label="First day, as 2026-11-22" value={since} maxLength={10} />
          </Filters>
          <Faults faults={outcome.kind === 'refused' ? [outcome.reason, ...faults] : faults} />
          <ReadTable
            reads={rows}
            next={next}
            empty={
              hasFilter
                ? 'No application has read this in the time of the read log. Reads appear some seconds after the call.'
                : 'Whose data was read? Enter the id of a household, of a user or of a partner. The search at the top finds ids by name.'
            }
          />
        </>
      )
      return show({ title: 'Reads', section: 'reads', body })
    },
  )
}

const params = Type.Object({ id: pathText })

function households(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database } = context
  const querystring = listQuery()
  operatorPage<{ Params: Static<typeof params>; Querystring: Static<typeof querystring> }>(
    app,
    context,
    web,
    { url: `${url}/:id`, scope: 'logs:read', schema: { params, querystring } },
    async ({ request, show }) => {
      const { id } = request.params
      const page = listRequest(request.query)
      const [grant, found] = await Promise.all([
        isRowId(id) ? database.maybe(findGrant, [id]) : undefined,
        listHouseholdsRead(database, { grantId: id }, page),
      ])
      const { rows, next } = pageOfRows(request, page, found, ({ number }) => String(number))
      const body = (
        <>
          <PageHead
            title="Households that were read"
            back={{ label: 'Reads', href: url }}
            intro={
              grant && (
                <>
                  By <bdi>{grant.partner_name}</bdi> for{' '}
                  <a href={`/admin/users/${encodeURIComponent(grant.user_id)}`}>
                    <bdi>{grant.email}</bdi>
                  </a>
                  , grant <a href={`/admin/grants/${grant.id}`}>{grant.id}</a>.
                </>
              )
            }
          />
          <HouseholdTable households={rows} next={next} />
        </>
      )
      return show({ title: 'Households that were read', section: 'reads', body })
    },
  )
}

function HouseholdTable({ households, next }: { households: ReadHousehold[]; next: string | undefined }) {
  return (
    <Table
      caption="Households that the grant has read"
      rows={households}
      keyOf={({ number }) => String(number)}
      next={next}
      empty="This grant has read no household in the time of the read log."
      columns={[
        { label: 'Household', cell: ({ name, household_id: id }) => <bdi>{name ?? id}</bdi> },
        {
          label: 'Id',
          cell: ({ household_id: id }) => (
            <a href={`${url}?${new URLSearchParams({ household_id: id })}`}>
              <Id>{id}</Id>
            </a>
          ),
        },
        { label: 'Last read (UTC)', cell: ({ last_day: day }) => day },
        { label: 'Days', cell: ({ days }) => amount(days), isNumber: true },
        { label: 'Reads', cell: ({ reads }) => amount(reads), isNumber: true },
      ]}
    />
  )
}

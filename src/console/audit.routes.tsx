import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyInstance } from 'fastify'
import { chainEnd, lastCheckpoint } from '../audit/chain.sql.ts'
import { exportAudit } from '../audit/export.ts'
import { type AuditFilter, listAudit } from '../audit/list.ts'
import type { Context } from '../context.ts'
import { queriesOn } from '../database/database.ts'
import { isRowId } from '../management/page.ts'
import { formText, pathText } from '../panel/fields.ts'
import { filled, listQuery, listRequest, withCursor } from '../panel/paging.ts'
import Type, { IsDate, type Static } from '../typebox.ts'
import { findRecord } from './audit.sql.ts'
import { AuditList, ExportPage, RecordPage } from './audit-pages.tsx'
import type { ConsoleWeb } from './edge.ts'
import { showMissing } from './missing.tsx'
import { operatorPage } from './operator-page.ts'

const url = '/admin/audit'

/** Who changed what: the list, one record, and the export. */
export function auditRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  list(app, context, web)
  oneRecord(app, context, web)
  exportForm(app, context, web)
}

const isPlace = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z \d{1,18}$/

function list(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database } = context
  const querystring = listQuery('event', 'user', 'client', 'actor', 'actor_id', 'request', 'since', 'until')
  operatorPage<{ Querystring: Static<typeof querystring> }>(
    app,
    context,
    web,
    { url, scope: 'audit:read', schema: { querystring } },
    async ({ request, show }) => {
      const { query } = request
      const range = rangeOf(query)
      const filter: AuditFilter = {
        event: filled(query.event),
        user: filled(query.user),
        client: filled(query.client),
        actorKind: filled(query.actor),
        actorId: filled(query.actor_id),
        requestId: filled(query.request),
        ...('fault' in range ? {} : range),
      }
      const { after, limit } = listRequest(query)
      const page = { after: after !== null && isPlace.test(after) ? after : undefined, limit: limit - 1 }
      const [{ records, next }, end, checkpoint] = await Promise.all([
        listAudit(database, filter, page),
        database.maybe(chainEnd, []),
        database.maybe(lastCheckpoint, []),
      ])
      const body = (
        <AuditList
          records={records}
          next={next === undefined ? undefined : withCursor(request, next)}
          filter={{ ...filter, since: filled(query.since), until: filled(query.until) }}
          faults={'fault' in range ? [range.fault] : []}
          chained={end?.place}
          checkpoint={checkpoint}
        />
      )
      return show({ title: 'Audit', section: 'audit', body })
    },
  )
}

/** From the first to the last day, in UTC. The last day is in the range. */
function rangeOf(days: {
  since?: string | undefined
  until?: string | undefined
}): { since?: string; until?: string } | { fault: string } {
  const [since, until] = [filled(days.since), filled(days.until)]
  for (const day of [since, until]) {
    if (day !== undefined && !IsDate(day)) return { fault: 'Write a day as 2026-11-22.' }
  }
  return {
    ...(since && { since: new Date(since).toISOString() }),
    ...(until && { until: new Date(Date.parse(until) + 86_400_000).toISOString() }),
  }
}

const params = Type.Object({ id: pathText })
const AtQuery = Type.Object({ at: Type.Optional(Type.String({ maxLength: 40 })) })

function oneRecord(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  operatorPage<{ Params: Static<typeof params>; Querystring: Static<typeof AtQuery> }>(
    app,
    context,
    web,
    { url: `${url}/:id`, scope: 'audit:read', schema: { params, querystring: AtQuery } },
    async ({ request, show }) => {
      const { id } = request.params
      const { at = '' } = request.query
      const record =
        isRowId(id) && isPlace.test(`${at} ${id}`)
          ? await context.database.maybe(findRecord, [at, id])
          : undefined
      if (!record) return showMissing(show, 'audit', 'record')
      return show({ title: record.event, section: 'audit', body: <RecordPage record={record} /> })
    },
  )
}

const Days = Type.Object({ since: formText(10), until: formText(10) })

function exportForm(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database, keys } = context
  const route = { url: `${url}/export`, scope: 'audit:read', recent: true } as const
  operatorPage(app, context, web, route, async ({ csrf, show }) =>
    show({ title: 'Export the audit log', section: 'audit', body: <ExportPage csrf={csrf} faults={[]} /> }),
  )
  operatorPage<{ Body: Static<typeof Days> }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { body: Days } },
    async ({ request, reply, origin, csrf, show }) => {
      const range = rangeOf(request.body)
      if ('fault' in range) {
        const body = <ExportPage csrf={csrf} faults={[range.fault]} />
        return show({ title: 'Export the audit log', section: 'audit', body }, 422)
      }
      await database.withConnection(async (client) => {
        const lines = Readable.from(withBreaks(exportAudit(queriesOn(client), keys, origin, range)))
        reply
          .header('content-disposition', 'attachment; filename="audit.ndjson"')
          .type('application/x-ndjson')
          .send(lines)
        // A browser that goes away ends the answer without its last lines.
        await finished(lines).catch((error: unknown) => request.log.error(error))
      })
      return reply
    },
  )
}

async function* withBreaks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`
}

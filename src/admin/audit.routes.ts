import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyInstance } from 'fastify'
import { exportAudit } from '../audit/export.ts'
import { listAudit } from '../audit/list.ts'
import type { Context } from '../context.ts'
import { queriesOn } from '../database/database.ts'
import { ok } from '../management/answers.ts'
import { linkToNext, pageRequestOf, withFilters } from '../management/page.ts'
import { rangeOf } from '../management/range.ts'
import { adminAddress } from './admin-document.ts'
import { adminRoute } from './admin-edge.ts'
import { exportAuditRoute, listAuditRoute } from './audit.operations.ts'

/** The audit log, with the use cases of `latchkey audit`. */
export function auditRoutes(app: FastifyInstance, context: Context): void {
  const { config, keys } = context
  adminRoute(app, context, listAuditRoute, async ({ request: { query }, database }) => {
    const range = rangeOf(query)
    if ('problem' in range) return range.problem
    const { after, limit } = pageRequestOf(query)
    const filter = {
      user: query.user_id,
      client: query.client_id,
      firm: query.firm_id,
      event: query.event,
      actorKind: query.actor_kind,
      actorId: query.actor_id,
      targetKind: query.target_kind,
      targetId: query.target_id,
      requestId: query.request_id,
      ...range,
    }
    const isPlace = after !== null && /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z \d{1,18}$/.test(after)
    const page = { after: isPlace ? after : undefined, limit: limit - 1 }
    const { records, next } = await listAudit(database, filter, page)
    if (next === undefined) return ok({ data: records, next_cursor: null })
    const { cursor, link } = linkToNext(withFilters(adminAddress(config, 'audit'), query), next)
    return ok({ data: records, next_cursor: cursor }, { link })
  })

  adminRoute(app, context, exportAuditRoute, async ({ request, reply, origin, database }) => {
    const range = rangeOf(request.body)
    if ('problem' in range) return range.problem
    await database.withConnection(async (client) => {
      const lines = Readable.from(withBreaks(exportAudit(queriesOn(client), keys, origin, range)))
      reply.header('cache-control', 'no-store').type('application/x-ndjson').send(lines)
      // A client that goes away, or a missing record, ends the answer without its last lines.
      await finished(lines).catch((error: unknown) => request.log.error(error))
    })
    return { kind: 'sent' }
  })
}

async function* withBreaks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`
}

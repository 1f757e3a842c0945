import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { foldedUnlessId } from '../directory/users.ts'
import { findGrant, pageOfGrants } from '../grants/grants.sql.ts'
import { applyLifetime, revokeGrant } from '../grants/grants.ts'
import { notFound, ok } from '../management/answers.ts'
import { isRowId, pageAnswer, pageRequestOf, withFilters } from '../management/page.ts'
import { adminAddress } from './admin-document.ts'
import { adminRoute } from './admin-edge.ts'
import { applyLifetimeRoute, getGrantRoute, listGrantsRoute, revokeGrantRoute } from './grants.operations.ts'

/** Grants, with the use cases of `latchkey grant`. */
export function grantRoutes(app: FastifyInstance, context: Context): void {
  const { config } = context
  adminRoute(app, context, listGrantsRoute, async ({ request: { query }, database }) => {
    const page = pageRequestOf(query)
    const user = query.user === undefined ? null : foldedUnlessId(query.user)
    const filters = [user, query.client_id ?? null, query.ended === 'true']
    const after = page.after !== null && isRowId(page.after) ? page.after : null
    const rows = await database.run(pageOfGrants, [after, page.limit, ...filters])
    const address = withFilters(adminAddress(config, 'grants'), query)
    return pageAnswer(address, page, rows, ({ id }) => id)
  })

  adminRoute(app, context, getGrantRoute, async ({ request: { params }, database }) => {
    const grant = isRowId(params.id) ? await database.maybe(findGrant, [params.id]) : undefined
    return grant ? ok(grant) : notFound('There is no grant with this id.')
  })

  adminRoute(app, context, revokeGrantRoute, async ({ request: { params }, origin, database }) => {
    const revoked = await revokeGrant(database, origin, { id: params.id })
    return revoked ? { kind: 'empty' } : notFound('There is no live grant with this id.')
  })

  adminRoute(app, context, applyLifetimeRoute, async ({ request: { body }, origin, database }) => {
    const which = { clientId: body.client_id, defaultDays: config.grantLifetimeDays }
    return ok({ limited: await applyLifetime(database, origin, which) })
  })
}

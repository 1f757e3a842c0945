import type { FastifyInstance } from 'fastify'
import { adminRoute } from '../admin/admin-edge.ts'
import type { Context } from '../context.ts'
import { ok } from '../management/answers.ts'
import { reportLeakedCredentials } from './incidents.operations.ts'
import { describeLeak, reportLeak } from './leaked-credentials.ts'

export function incidentRoutes(app: FastifyInstance, context: Context): void {
  const { config, keys } = context
  adminRoute(app, context, reportLeakedCredentials, async ({ request: { body }, origin, database }) => {
    const credentials = await reportLeak({ database, config, keys }, origin, body)
    return ok({ data: credentials.map(describeLeak) })
  })
}

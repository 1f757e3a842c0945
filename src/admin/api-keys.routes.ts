import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { problemReason } from '../errors/catalogue.ts'
import { created, notFound, ok, refused } from '../management/answers.ts'
import { may } from '../operators/scopes.ts'
import { adminAddress } from './admin-document.ts'
import { adminRoute } from './admin-edge.ts'
import { createKey, listKeys, revokeKey } from './api-keys.operations.ts'
import { listApiKeys } from './api-keys.sql.ts'
import { createApiKey, revokeApiKey } from './api-keys.ts'

export function apiKeyRoutes(app: FastifyInstance, context: Context): void {
  const { config } = context
  adminRoute(app, context, listKeys, async ({ database }) =>
    ok({ data: await database.run(listApiKeys, []) }),
  )

  adminRoute(app, context, createKey, async ({ request, actor, origin, database }) => {
    const { name, scopes, expires_in_days: expiresInDays } = request.body
    const missing = scopes.filter((scope) => !may(actor, scope))
    if (missing.length > 0) {
      const { code, explanation } = problemReason('scope_of_new_key', missing.join(', '))
      return { kind: 'problem', code, detail: explanation }
    }
    const input = { name, scopes, expiresInDays }
    const outcome = await createApiKey(database, origin, config.environment, input)
    if (outcome.kind === 'refused') return refused(outcome.faults)
    return created(adminAddress(config, 'api-keys'), outcome.key, { api_key: outcome.text })
  })

  adminRoute(app, context, revokeKey, async ({ request: { params }, origin, database }) => {
    const revoked = await revokeApiKey(database, origin, params.id)
    return revoked ? ok(revoked) : notFound(`There is no API key with this id, or it is revoked already.`)
  })
}

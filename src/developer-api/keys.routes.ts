import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { type DeveloperKeyRow, listDeveloperKeys } from '../developer-keys/developer-keys.sql.ts'
import { createDeveloperKey, revokeDeveloperKey } from '../developer-keys/developer-keys.ts'
import { created, notFound, ok, refused } from '../management/answers.ts'
import { developerAddress } from './developer-document.ts'
import { developerRoute } from './developer-edge.ts'
import { createKeyRoute, listKeysRoute, revokeKeyRoute } from './keys.operations.ts'

/** Developer keys, with the use cases of `latchkey developer-key`. */
export function developerKeyRoutes(app: FastifyInstance, context: Context): void {
  const { config } = context
  developerRoute(app, context, listKeysRoute, async ({ database, clientId }) =>
    ok({ data: (await database.run(listDeveloperKeys, [clientId])).map(forPartner) }),
  )

  developerRoute(app, context, createKeyRoute, async ({ request: { body }, origin, database, clientId }) => {
    const { name, role, expires_in_days: expiresInDays } = body
    const input = { clientId, name, role, expiresInDays }
    const outcome = await createDeveloperKey(database, origin, config.environment, input)
    if (outcome.kind === 'refused') return refused(outcome.faults)
    const { key, text } = outcome
    return created(developerAddress(config, 'keys'), forPartner(key), { developer_key: text })
  })

  developerRoute(app, context, revokeKeyRoute, async ({ request, origin, database, clientId }) => {
    const revoked = await revokeDeveloperKey(database, origin, { clientId, id: request.params.id })
    return revoked
      ? ok(forPartner(revoked))
      : notFound('Your application has no developer key with this id, or it is revoked already.')
  })
}

/** Without the names of the operator's people and machines. */
function forPartner({ client_id: _, created_by: { kind, name }, ...key }: DeveloperKeyRow) {
  const isOwn = kind === 'developer' || kind === 'developer_key'
  return { ...key, created_by: isOwn ? { kind, name } : { kind: 'operator', name: null } }
}

import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { problemReason } from '../errors/catalogue.ts'
import { bearerRefusal } from '../http/refusals.ts'
import type { Answer } from '../management/answers.ts'
import type { ManagementApi } from '../management/api.ts'
import { type Call, type NoFields, prepare, type Route, serve } from '../management/route.ts'
import { type Actor, isScope, may, type Scope } from '../operators/scopes.ts'
import type { TObject, TSchema } from '../typebox.ts'
import { findApiKey, touchApiKey } from './api-keys.sql.ts'

const api: ManagementApi<Actor, Scope> = {
  name: 'admin API',
  via: 'admin_api',
  realm: 'latchkey admin',
  log: { event: 'admin', key: 'api_key' },
  keys: {
    kind: 'ak',
    find: async (database, hash) => {
      const row = await database.maybe(findApiKey, [hash])
      if (!row) return undefined
      const { id, name, state, is_used_again: isUsedAgain } = row
      return {
        state,
        isUsedAgain,
        caller: { kind: 'api_key', id, name, scopes: new Set(row.scopes.filter(isScope)) },
      }
    },
    touch: (database, id) => database.maybe(touchApiKey, [id]),
  },
  rights: {
    may,
    refusal: (scope) => bearerRefusal('scope_missing', scope),
    challenge: (scope) => scope,
    describe: (scope) => `Scope: \`${scope}\`.`,
  },
  examples: {
    403: ['insufficient_scope', problemReason('scope_missing', 'partners:write').explanation],
    404: ['not_found', 'There is no partner test_1.'],
    409: [
      'conflict',
      'Another operator changed the partner at the same time. Nothing was changed here. Try again.',
    ],
  },
}

type AdminRoute<P extends TObject, Q extends TObject, B extends TSchema> = Route<P, Q, B> & { scope: Scope }

/** A route's description, in a file of operations. */
export function describeRoute<
  P extends TObject = NoFields,
  Q extends TObject = NoFields,
  B extends TSchema = NoFields,
>(route: AdminRoute<P, Q, B>): AdminRoute<P, Q, B> {
  return route
}

/** Serves one operation of the admin API, for API keys with its scope. */
export function adminRoute<P extends TObject, Q extends TObject, B extends TSchema>(
  app: FastifyInstance,
  context: Pick<Context, 'database'>,
  route: AdminRoute<P, Q, B>,
  handler: (call: Call<Actor, P, Q, B>) => Promise<Answer>,
): void {
  serve(app, context, { api, right: route.scope, route }, handler)
}

export function adminEdge(app: FastifyInstance, context: Context): void {
  prepare(app, context, api)
}

import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { findDeveloperKey, touchDeveloperKey } from '../developer-keys/developer-keys.sql.ts'
import { allows, type DeveloperRole } from '../developer-keys/roles.ts'
import { problemReason } from '../errors/catalogue.ts'
import { bearerRefusal } from '../http/refusals.ts'
import type { Answer } from '../management/answers.ts'
import type { Caller, ManagementApi } from '../management/api.ts'
import { type Call, type NoFields, prepare, type Route, serve } from '../management/route.ts'
import type { TObject, TSchema } from '../typebox.ts'

/** A program of one partner. */
type KeyCaller = Caller & { clientId: string; role: DeveloperRole }

/** Calls that each server admits in a minute for the keys of one application. The request log is costly to search. */
const callsPerMinute = 120

const api: ManagementApi<KeyCaller, DeveloperRole> = {
  name: 'developer API',
  via: 'developer_api',
  realm: 'latchkey developers',
  log: { event: 'developer_api', key: 'developer_key' },
  keys: {
    kind: 'dk',
    find: async (database, hash) => {
      const row = await database.maybe(findDeveloperKey, [hash])
      if (!row) return undefined
      const { id, name, role, state, client_id: clientId, is_used_again: isUsedAgain } = row
      return { state, isUsedAgain, caller: { kind: 'developer_key', id, name, clientId, role } }
    },
    touch: (database, id) => database.maybe(touchDeveloperKey, [id]),
  },
  quota: { most: callsPerMinute, of: ({ clientId }) => clientId },
  rights: {
    may: ({ role }, needed) => allows(role, needed),
    refusal: (role) => bearerRefusal('role_missing', role),
    challenge: (role) => role,
    describe: (role) => `Role: \`${role}\`.`,
  },
  examples: {
    403: ['insufficient_scope', problemReason('role_missing', 'developer').explanation],
    404: ['not_found', 'Your application has no webhook endpoint with this id.'],
    409: ['conflict', 'Your application has only one secret. Nothing was changed.'],
  },
}

type DeveloperRoute<P extends TObject, Q extends TObject, B extends TSchema> = Route<P, Q, B> & {
  role: DeveloperRole
  /** It reads on `database.expensive`: few of these run at a time (`developerReadLimiter`), others wait or get 503. */
  isExpensive?: true
}

const busy: Answer = {
  kind: 'problem',
  code: 'unavailable',
  detail:
    'Too many searches of developers are running. Send the request again after the time in Retry-After.',
  retryAfter: 2,
}

/** A route's description, in a file of operations. */
export function describeRoute<
  P extends TObject = NoFields,
  Q extends TObject = NoFields,
  B extends TSchema = NoFields,
>(route: DeveloperRoute<P, Q, B>): DeveloperRoute<P, Q, B> {
  return route
}

/**
 * Serves one operation of the developer API, for keys with its role. The handler passes `clientId`, the application of the key,
 * to every use case: an id of another application then finds nothing.
 */
export function developerRoute<P extends TObject, Q extends TObject, B extends TSchema>(
  app: FastifyInstance,
  context: Pick<Context, 'database' | 'developerReadLimiter'>,
  route: DeveloperRoute<P, Q, B>,
  handler: (call: Call<KeyCaller, P, Q, B> & { clientId: string }) => Promise<Answer>,
): void {
  serve(app, context, { api, right: route.role, route }, async (call) => {
    const { clientId } = call.actor
    const handle = () => handler({ ...call, clientId })
    if (!route.isExpensive) return handle()
    const answer = await context.developerReadLimiter.admit(clientId, handle)
    return answer.kind === 'refused' ? busy : answer
  })
}

/** Prepares the scope of the developer API. Call it before its routes are registered. */
export function developerApiEdge(app: FastifyInstance, context: Context): void {
  prepare(app, context, api)
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Origin, originOf } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { sendNotFound, sendProblem } from '../http/api-edge.ts'
import { MalformedParameters } from '../http/parameters.ts'
import { Turns } from '../process/turns.ts'
import type { Static, TObject, TSchema } from '../typebox.ts'
import { type Answer, sendAnswer } from './answers.ts'
import type { Caller, ManagementApi } from './api.ts'
import { managementErrors } from './edge.ts'
import { type IdempotencyKey, idempotencyKeyOf, once, turnOf } from './idempotency.ts'
import { KeyAuthentication } from './key-authentication.ts'
import { type ManagementOperation, operationOf } from './operation.ts'
import { closed } from './page.ts'

const authentication = Symbol('authentication of keys')
const callerOf = Symbol('caller')
const turnsOf = Symbol('turns of requests with an Idempotency-Key')

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A call, authenticated, with the right that its route needs, and validated. */
export type Call<C extends Caller, P extends TObject, Q extends TObject, B extends TSchema> = {
  request: FastifyRequest<{ Params: Static<P>; Querystring: Static<Q>; Body: Static<B> }>
  reply: FastifyReply
  actor: C
  origin: Origin
  /** With an Idempotency-Key: the transaction of the request. */
  database: Database
  /** Only for a route with `creates: 'itself'`: its Idempotency-Key. */
  key: IdempotencyKey | undefined
  /** Only for a route with `creates: 'itself'`: does the last part of it as `creates: true` does all of it. */
  carryOut: CarryOut
}

/** A route without the right that it needs, which each API names in its own way. */
export type Route<P extends TObject, Q extends TObject, B extends TSchema> = {
  method: Method
  /** Below the prefix of the API: `/partners/:client_id`. */
  url: string
  /** Objects in the body and the query must be closed (`additionalProperties: false`): see `closed`. */
  schema?: { params?: P; querystring?: Q; body?: B }
  operation: ManagementOperation
  /**
   * A request that creates: it may have an Idempotency-Key, and then runs in one transaction. `itself`: the route opens the
   * transaction, with `carryOut` or `once`, after what must not hold a connection.
   */
  creates?: true | 'itself'
  /** Only for a body that is not JSON: how the document describes it. It needs a parser in its scope. */
  text?: { mediaType: string; schema: TSchema }
  /** Bytes of the body. Default: 64 kB. */
  bodyLimit?: number
}

/** Runs the work that changes something, with an Idempotency-Key once and in one transaction. */
type CarryOut = (work: (database: Database) => Promise<Answer>) => Promise<Answer>

export type NoFields = TObject<Record<never, never>>

/** Prepares the scope of an API: how it authenticates, and what its errors say. Call it before `serve`. */
export function prepare<C extends Caller, Right extends string>(
  app: FastifyInstance,
  context: Context,
  api: ManagementApi<C, Right>,
): void {
  app.decorate(authentication, new KeyAuthentication(api, context))
  app.decorate(turnsOf, new Turns())
  app.decorateRequest(callerOf, null)
  managementErrors(app, api.name)
}

/**
 * Serves one operation. The checks, in order: key, its right, media type and size, JSON, schema. Nothing of the request's body
 * is read before the key and its right are known.
 */
export function serve<
  C extends Caller,
  Right extends string,
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
>(
  app: FastifyInstance,
  { database }: Pick<Context, 'database'>,
  { api, right, route }: { api: ManagementApi<C, Right>; right: Right; route: Route<P, Q, B> },
  handler: (call: Call<C, P, Q, B>) => Promise<Answer>,
): void {
  const { method, url, creates = false } = route
  const schema = { querystring: closed({}), ...route.schema }
  const json = schema.body && { mediaType: 'application/json', schema: schema.body }
  const body = route.text ?? json
  const keys = app.getDecorator<KeyAuthentication<C, Right>>(authentication)
  const turns = app.getDecorator<Turns>(turnsOf)
  const described = { needs: api.rights.describe(right), body, creates: creates !== false }
  app.route<{ Params: Static<P>; Querystring: Static<Q>; Body: Static<B> }>({
    method,
    url,
    schema,
    ...(route.bodyLimit && { bodyLimit: route.bodyLimit }),
    config: { managementOperation: operationOf(route.operation, { ...described, examples: api.examples }) },
    onRequest: async (request, reply) => {
      const caller = await keys.callerOf(request, reply, right)
      if (caller === undefined) return reply
      request.setDecorator(callerOf, caller)
    },
    handler: async (request, reply) => {
      // PostgreSQL's text type cannot store NUL.
      if (textFault(request.params)) return sendNotFound(reply, 'There is nothing with this id.')
      const fault = json && textFault(request.body)
      if (fault) throw new MalformedParameters(`The body ${fault}.`)
      const actor = request.getDecorator<C>(callerOf)
      const origin = originOf(request, api.via, actor)
      const key = creates ? idempotencyKeyOf(request, actor) : undefined
      if (key === 'malformed') {
        return sendProblem(
          reply,
          'bad_request',
          'Idempotency-Key must have 16 to 128 visible ASCII characters.',
        )
      }
      const carryOut: CarryOut = (work) =>
        key
          ? turns.run(api.quota?.of(actor) ?? turnOf(key), () => inKeyTransaction(database, key, work))
          : work(database)
      const handle = (on: Database) => handler({ request, reply, actor, origin, database: on, key, carryOut })
      return sendAnswer(reply, await (creates === true ? carryOut(handle) : handle(database)))
    },
  })
}

/**
 * On one of the few connections for changes of the directory. Requests take turns before it: those with the same key would wait
 * for each other in the database, and each would hold a connection. Those of one partner take turns with any key.
 */
function inKeyTransaction(
  database: Database,
  key: IdempotencyKey,
  work: (database: Database) => Promise<Answer>,
): Promise<Answer> {
  return inTransaction<Answer>(
    (use) => database.withChangeConnection(use),
    (transaction) => once(transaction, key, () => work(transaction)),
    ({ kind }) => kind !== 'problem',
  )
}

/** Levels of objects and arrays. A much deeper body would exceed the stack of code that goes through it. */
const mostLevels = 50

/** Why the texts of a parsed body cannot be stored or read. Undefined: they can. */
function textFault(value: unknown): string | undefined {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > mostLevels) return 'is nested too deeply'
    if (level.some((part) => typeof part === 'string' && part.includes('\0')))
      return 'contains the character NUL'
    level = level.flatMap((part) =>
      typeof part === 'object' && part !== null && !Buffer.isBuffer(part) ? Object.entries(part).flat() : [],
    )
  }
  return undefined
}

import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { Context } from '../context.ts'
import { may, type Scope } from '../operators/scopes.ts'
import type { Operator } from '../operators/sessions.ts'
import { type PersonRequest, personPage, type RequestFields } from '../people/person-page.ts'
import type { ConsoleWeb } from './edge.ts'
import { ForbiddenPage } from './parts.tsx'
import type { ConsolePage } from './shell.tsx'

type OperatorRoute = {
  /** GET by default. */
  method?: 'GET' | 'POST'
  url: `/admin${string}`
  /** What the operator's role must allow. `any`: every operator may open the page. */
  scope: Scope | 'any'
  /** For what is dangerous: the operator must have proved their identity in the last minutes, and is asked to if not. */
  recent?: boolean
  schema?: Pick<FastifySchema, 'body' | 'params' | 'querystring'>
  /** Bytes of a form that is larger than others. */
  bodyLimit?: number
}

/** A request of an operator whose role allows it. */
export type OperatorRequest<Fields extends RequestFields> = Omit<
  PersonRequest<Operator, Fields>,
  'person'
> & {
  operator: Operator
  /** Sends a page with the navigation. */
  show(page: ConsolePage, status?: number): FastifyReply
}

/**
 * Registers a page of the console, or a form of it (`personPage`). A role without the scope gets 403. `handler` sends the
 * answer: with `show`, or a redirect.
 *
 * @param app the console's scope, whose prefix is `/admin`
 */
export function operatorPage<Fields extends RequestFields = RequestFields>(
  app: FastifyInstance,
  context: Context,
  web: ConsoleWeb,
  { scope, ...route }: OperatorRoute,
  handler: (exchange: OperatorRequest<Fields>) => Promise<FastifyReply>,
): void {
  const check = (request: FastifyRequest, reply: FastifyReply, operator: Operator) => {
    if (scope === 'any' || may(operator, scope)) return undefined
    request.log.warn({ event: 'console', outcome: 'insufficient_scope', operator_id: operator.id, scope })
    const body = ForbiddenPage({ role: operator.role, scope })
    return web.shell(reply, operator, { title: 'Not allowed', body }, 403)
  }
  personPage<Operator, Fields>(app, context, web, { ...route, check }, ({ person: operator, ...exchange }) =>
    handler({
      ...exchange,
      operator,
      show: (page, status) => web.shell(exchange.reply, operator, page, status),
    }),
  )
}

import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  preValidationHookHandler,
} from 'fastify'
import { may, type Scope } from '../admin/scopes.ts'
import type { Origin } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { type Operator, operatorOf, operatorOrigin } from '../operators/sessions.ts'
import type { ConsoleWeb } from './edge.ts'
import { ForbiddenPage } from './parts.tsx'
import type { ConsolePage } from './shell.tsx'

type OperatorRoute = {
  /** GET by default. */
  method?: 'GET' | 'POST'
  url: `/admin${string}`
  /** What the operator's role must allow. `any`: every operator may open the page, because it is about themselves. */
  scope: Scope | 'any'
  /** For what is dangerous: the operator must have proved their identity in the last minutes, and is asked to if not. */
  recent?: boolean
  /** Bytes of the body. Default: 64 kB. */
  bodyLimit?: number
  schema?: Pick<FastifySchema, 'body' | 'params' | 'querystring'>
}

/** The types of what the schema of a route describes. */
type RequestFields = { Body?: unknown; Querystring?: unknown; Params?: unknown }
type RouteOf<Fields extends RequestFields> = {
  Body: Fields['Body']
  Querystring: Fields['Querystring']
  Params: Fields['Params']
}

/** A request of an operator whose role allows it. */
export type OperatorRequest<Fields extends RequestFields> = {
  request: FastifyRequest<RouteOf<Fields>>
  reply: FastifyReply
  operator: Operator
  /** For the use case that the request starts. */
  origin: Origin
  /** For the hidden field of a form. */
  csrf: string
  /** Sends a page with the navigation. */
  show(page: ConsolePage, status?: number): FastifyReply
}

const operators = new WeakMap<FastifyRequest, Operator>()

/**
 * Registers a page of the console, or a form of it. Without a session, the browser goes to the login; a role without the scope
 * gets 403. A form must come from our own page of this session. `handler` sends the answer: with `show`, or a redirect.
 *
 * @param app the console's scope, whose prefix is `/admin`
 */
export function operatorPage<Fields extends RequestFields = RequestFields>(
  app: FastifyInstance,
  context: Context,
  web: ConsoleWeb,
  { method = 'GET', url, scope, recent = false, bodyLimit, schema }: OperatorRoute,
  handler: (exchange: OperatorRequest<Fields>) => Promise<FastifyReply>,
): void {
  app.route<RouteOf<Fields>>({
    method,
    url: url.slice('/admin'.length) || '/',
    ...(schema && { schema }),
    ...(bodyLimit && { bodyLimit }),
    // In this order: a stranger learns nothing about a form, not even that it is malformed.
    preValidation: [
      findOperator(context),
      ...(method === 'POST' ? web.ownForm : []),
      checkScope(web, scope),
      ...(recent ? [checkRecent] : []),
    ],
    handler: (request, reply) => {
      const operator = operatorOfRequest(request)
      return handler({
        request,
        reply,
        operator,
        origin: operatorOrigin(request, operator),
        csrf: web.csrfToken(reply),
        show: (page, status) => web.consolePage(reply, operator, page, status),
      })
    },
  })
}

function operatorOfRequest(request: FastifyRequest): Operator {
  const operator = operators.get(request)
  if (!operator) throw new Error('a page of the console ran without an operator')
  return operator
}

function findOperator(context: Context): preValidationHookHandler {
  return async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const operator = await operatorOf(request, context)
    if (!operator) return reply.redirect(withNext('/admin/login', request), 303)
    operators.set(request, operator)
  }
}

function checkScope(web: ConsoleWeb, scope: Scope | 'any'): preValidationHookHandler {
  return async (request, reply) => {
    const operator = operatorOfRequest(request)
    if (scope === 'any' || may(operator, scope)) return undefined
    request.log.warn({ event: 'console', outcome: 'insufficient_scope', operator_id: operator.id, scope })
    const body = ForbiddenPage({ role: operator.role, scope })
    return web.consolePage(reply, operator, { title: 'Not allowed', body }, 403)
  }
}

const checkRecent: preValidationHookHandler = async (request, reply) => {
  if (!operatorOfRequest(request).isRecent) return reply.redirect(withNext('/admin/confirm', request), 303)
}

/** The page asks again for a form that was sent: its address is that of a page, or the nearest page above it. */
function withNext(path: string, request: FastifyRequest): string {
  return `${path}?${new URLSearchParams({ next: pageOf(request) })}`
}

function pageOf({ method, url, server }: FastifyRequest): string {
  if (method === 'GET') return url
  let path = url.split('?', 1)[0] ?? '/admin'
  while (path !== '/admin' && !server.hasRoute({ method: 'GET', url: path })) {
    path = path.slice(0, path.lastIndexOf('/')) || '/admin'
  }
  return path
}

/** The page of the console to which a login leads. Addresses of other sites, and those that browsers read as such, do not count. */
export function nextPage(next: string | undefined): string {
  return next !== undefined && /^\/admin(?:[/?][\x21-\x5b\x5d-\x7e]*)?$/.test(next) ? next : '/admin'
}

import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  onRequestHookHandler,
  preValidationHookHandler,
} from 'fastify'
import type { Origin } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import type { PeopleWeb } from './people-web.ts'
import { type Person, personOrigin, personSessionHash } from './sessions.ts'

type PersonRoute<P> = {
  /** GET by default. */
  method?: 'GET' | 'POST'
  /** Below the first page of these people. */
  url: string
  /** For what is dangerous: the person must have proved their identity in the last minutes, and is asked to if not. */
  recent?: boolean | undefined
  schema?: Pick<FastifySchema, 'body' | 'params' | 'querystring'> | undefined
  /** Bytes of a form that is larger than others. */
  bodyLimit?: number | undefined
  /** Sends an answer if the person may not open the page. */
  check?: (request: FastifyRequest, reply: FastifyReply, person: P) => FastifyReply | undefined
}

/** The types of what the schema of a route describes. */
export type RequestFields = { Body?: unknown; Querystring?: unknown; Params?: unknown }
type RouteOf<Fields extends RequestFields> = {
  Body: Fields['Body']
  Querystring: Fields['Querystring']
  Params: Fields['Params']
}

/** A request of a person who is logged in and may make it. */
export type PersonRequest<P, Fields extends RequestFields> = {
  request: FastifyRequest<RouteOf<Fields>>
  reply: FastifyReply
  person: P
  /** For the use case that the request starts. */
  origin: Origin
  /** For the hidden field of a form. */
  csrf: string
}

/**
 * Registers a page for people who are logged in, or a form of it. Without a session, the browser goes to the login. A form
 * must come from our own page of this session. `handler` sends the answer.
 *
 * @param app the scope of these pages, whose prefix is the path of their first page
 */
export function personPage<P extends Person, Fields extends RequestFields = RequestFields>(
  app: FastifyInstance,
  context: Context,
  web: PeopleWeb<P>,
  { method = 'GET', url, recent = false, schema, bodyLimit, check }: PersonRoute<P>,
  handler: (exchange: PersonRequest<P, Fields>) => Promise<FastifyReply>,
): void {
  const { kind, home } = web
  const people = new WeakMap<FastifyRequest, P>()
  const personOfRequest = (request: FastifyRequest): P => {
    const person = people.get(request)
    if (!person) throw new Error(`${url} ran without a person`)
    return person
  }
  const toLogin = (request: FastifyRequest, reply: FastifyReply) =>
    reply.redirect(withNext(`${home}/login`, home, request), 303)
  // A stranger's form is not read: it may contain a file.
  const findCookie: onRequestHookHandler = async (request, reply) => {
    reply.header('cache-control', 'no-store')
    return personSessionHash(request, context, kind) ? undefined : toLogin(request, reply)
  }
  const findPerson: preValidationHookHandler = async (request, reply) => {
    const person = await web.personOf(request, context)
    if (!person) return toLogin(request, reply)
    people.set(request, person)
  }
  const mayOpen: preValidationHookHandler = async (request, reply) =>
    check?.(request, reply, personOfRequest(request))
  const checkRecent: preValidationHookHandler = async (request, reply) =>
    personOfRequest(request).isRecent
      ? undefined
      : reply.redirect(withNext(`${home}/confirm`, home, request), 303)
  app.route<RouteOf<Fields>>({
    method,
    url: url.slice(home.length) || '/',
    ...(schema && { schema }),
    ...(bodyLimit && { bodyLimit }),
    onRequest: findCookie,
    // In this order: a stranger learns nothing about a form, not even that it is malformed.
    preValidation: [
      findPerson,
      ...(method === 'POST' ? web.ownForm : []),
      ...(check ? [mayOpen] : []),
      ...(recent ? [checkRecent] : []),
    ],
    handler: (request, reply) => {
      const person = personOfRequest(request)
      const origin = personOrigin(request, kind, person)
      return handler({ request, reply, person, origin, csrf: web.csrfToken(reply) })
    },
  })
}

/** The page asks again for a form that was sent: its address is that of a page, or the nearest page above it. */
function withNext(path: string, home: string, request: FastifyRequest): string {
  return `${path}?${new URLSearchParams({ next: pageOf(home, request) })}`
}

function pageOf(home: string, { method, url, server }: FastifyRequest): string {
  if (method === 'GET') return url
  let path = url.split('?', 1)[0] ?? home
  while (path !== home && !server.hasRoute({ method: 'GET', url: path })) {
    path = path.slice(0, path.lastIndexOf('/')) || home
  }
  return path
}

/** The page to which a login leads. Addresses of other sites, and those that browsers read as such, do not count. */
export function nextPage({ home }: Pick<PeopleWeb, 'home'>, next: string | undefined): string {
  const isBelow = next === home || next?.startsWith(`${home}/`) || next?.startsWith(`${home}?`)
  return next !== undefined && isBelow && /^[\x21-\x5b\x5d-\x7e]*$/.test(next) ? next : home
}

/** A redirect within these pages, which nothing may keep. */
export function toPage(reply: FastifyReply, page: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(page, 303)
}

import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { Context } from '../context.ts'
import { allows, type DeveloperRole } from '../developer-keys/roles.ts'
import type { Developer, MemberApp } from '../developers/sessions.ts'
import { type PersonRequest, personPage, type RequestFields } from '../people/person-page.ts'
import { type DeveloperWeb, formsPerMinute } from './edge.ts'
import { RoleTooLow, TooBusy, TooManyForms } from './refusals.tsx'
import type { DeveloperPage } from './shell.tsx'

type DeveloperRoute = {
  /** GET by default. */
  method?: 'GET' | 'POST'
  url: `/developers/apps/:client_id${string}`
  /** The least that the developer's role must be. */
  role: DeveloperRole
  /** For what is dangerous: the developer must have proved their identity in the last minutes, and is asked to if not. */
  recent?: boolean
  /** It reads on `database.expensive`: few of these run at a time (`developerReadLimiter`), others wait or get 503. */
  isExpensive?: true
  schema?: Pick<FastifySchema, 'body' | 'params' | 'querystring'>
}

/** A request of a developer whose role allows it. */
export type DeveloperRequest<Fields extends RequestFields> = Omit<
  PersonRequest<Developer, Fields>,
  'person'
> & {
  developer: Developer
  /** The application. Every use case gets its `clientId`. */
  app: MemberApp
  /** Sends a page with the navigation. */
  show(page: DeveloperPage, status?: number): FastifyReply
}

/**
 * Registers a page of an application, or a form of it (`personPage`). For someone who is not a member, the application does not
 * exist: 404. A lower role gets 403. `handler` sends the answer: with `show`, or a redirect.
 *
 * @param app the scope of the developer pages, whose prefix is `/developers`
 */
export function developerPage<Fields extends RequestFields = RequestFields>(
  app: FastifyInstance,
  context: Context,
  web: DeveloperWeb,
  { role, isExpensive, ...route }: DeveloperRoute,
  handler: (exchange: DeveloperRequest<Fields>) => Promise<FastifyReply>,
): void {
  const check = (request: FastifyRequest, reply: FastifyReply, developer: Developer) => {
    const { app: current } = developer
    if (!current) {
      reply.callNotFound()
      return reply
    }
    if (allows(current.role, role)) return undefined
    request.log.warn({ event: 'developer_pages', outcome: 'role_too_low', developer_id: developer.id, role })
    const body = RoleTooLow({ app: current, least: role })
    return web.shell(reply, developer, { title: 'Not allowed', body }, 403)
  }
  personPage<Developer, Fields>(
    app,
    context,
    web,
    { ...route, check },
    async ({ person: developer, ...exchange }) => {
      const { app: current } = developer
      if (!current) throw new Error('a page of an application ran without the application')
      const { reply } = exchange
      const show = (page: DeveloperPage, status?: number) => web.shell(reply, developer, page, status)
      const seconds = route.method === 'POST' ? await countForm(web, current) : undefined
      if (seconds !== undefined) {
        reply.header('retry-after', String(seconds))
        return show({ title: 'Too many changes', body: TooManyForms() }, 429)
      }
      const handle = () => handler({ ...exchange, developer, app: current, show })
      if (!isExpensive) return handle()
      const sent = await context.developerReadLimiter.admit(current.clientId, async () => {
        await handle()
        return { kind: 'sent' as const }
      })
      if (sent.kind === 'sent') return reply
      reply.header('retry-after', '2')
      return show({ title: 'Busy', body: TooBusy() }, 503)
    },
  )
}

/**
 * Counts a form of the application.
 * @returns seconds until its next form is accepted; undefined: this one is accepted
 */
async function countForm(
  { formLimiter }: DeveloperWeb,
  { clientId }: MemberApp,
): Promise<number | undefined> {
  const { consumedPoints, msBeforeNext } = await formLimiter.penalty(clientId)
  return consumedPoints > formsPerMinute ? Math.ceil(msBeforeNext / 1000) : undefined
}

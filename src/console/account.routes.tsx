import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { endSession } from '../operators/sessions.ts'
import type { ConsoleWeb } from './edge.ts'
import { operatorPage } from './operator-page.ts'

/** The operator's own account: sessions, password, second factor. */
export function accountRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  operatorPage(
    app,
    context,
    web,
    { method: 'POST', url: '/admin/logout', scope: 'any' },
    async ({ reply, operator, origin }) => {
      await endSession(context, reply, operator, origin)
      return reply.redirect('/admin/login', 303)
    },
  )
}

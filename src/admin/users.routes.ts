import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import type { Database } from '../database/database.ts'
import { pageOfUsers } from '../directory/users.sql.ts'
import { createUser, disableUser, enableUser, findUser } from '../directory/users.ts'
import { resetFactors } from '../factors/reset-factors.ts'
import { type Answer, conflict, created, notFound, ok, refused } from '../management/answers.ts'
import { pageAnswer, pageRequestOf, withFilters } from '../management/page.ts'
import { invite } from '../recovery/invite.ts'
import { endSessions, listSessions } from '../sessions/sessions-of-user.ts'
import { adminAddress } from './admin-document.ts'
import { adminRoute } from './admin-edge.ts'
import {
  createUserRoute,
  disableUserRoute,
  enableUserRoute,
  endSessionRoute,
  endSessionsRoute,
  getUserRoute,
  inviteUserRoute,
  listSessionsRoute,
  listUsersRoute,
  resetFactorsRoute,
} from './users.operations.ts'

/** Users and their sessions, with the use cases of `latchkey user`. */
export function userRoutes(app: FastifyInstance, context: Context): void {
  reads(app, context)
  creation(app, context)
  changes(app, context)
  sessions(app, context)
}

export const noSuchUser = notFound('There is no user with this id or address.')

function reads(app: FastifyInstance, context: Context): void {
  adminRoute(app, context, listUsersRoute, async ({ request: { query }, database }) => {
    const page = pageRequestOf(query)
    const filters = [query.firm_id ?? null, query.status ?? null]
    const rows = await database.run(pageOfUsers, [page.after, page.limit, ...filters])
    const address = withFilters(adminAddress(context.config, 'users'), query)
    return pageAnswer(address, page, rows, ({ id }) => id)
  })
  adminRoute(app, context, getUserRoute, async ({ request: { params }, database }) => {
    const user = await findUser(database, params.id)
    return user ? ok(user) : noSuchUser
  })
}

function creation(app: FastifyInstance, context: Context): void {
  const { config } = context
  adminRoute(app, context, createUserRoute, async ({ request: { body }, origin, database }) => {
    const { firm_id: firm, ...user } = body
    const outcome = await createUser(database, origin, { ...user, firm })
    if (outcome.kind === 'refused') {
      const detail = `Nothing was changed: ${outcome.reasons.join('; ')}.`
      return outcome.isTaken ? conflict(detail) : refused([detail])
    }
    return created(adminAddress(config, 'users', user.id), await findUser(database, user.id))
  })

  adminRoute(app, context, inviteUserRoute, async ({ request: { params }, origin, database }) => {
    if (!(await findUser(database, params.id))) return noSuchUser
    const outcome = await invite(database, origin, config, params.id)
    if (outcome.kind === 'refused') return conflict(`No link was made: ${outcome.reason}.`)
    const { id, expiresAt } = outcome
    const mailedTo = outcome.kind === 'mailed' ? outcome.email : null
    const body = { id, mailed_to: mailedTo, expires_at: expiresAt }
    const secrets = outcome.kind === 'link' ? { link: outcome.link } : undefined
    return created(adminAddress(config, 'users', id), body, secrets)
  })
}

function changes(app: FastifyInstance, context: Context): void {
  for (const [route, change] of [
    [disableUserRoute, disableUser],
    [enableUserRoute, enableUser],
  ] as const) {
    adminRoute(app, context, route, async ({ request: { params }, origin, database }) => {
      const outcome = await change(database, origin, params.id)
      if (outcome.kind === 'refused') return noSuchUser
      const user = await findUser(database, outcome.id)
      return user ? ok({ ...user, sessions_ended: outcome.sessionsEnded }) : noSuchUser
    })
  }
  adminRoute(app, context, resetFactorsRoute, async ({ request: { params }, origin, database }) => {
    const removed = await resetFactors(database, origin, params.id, context.config.mail !== undefined)
    return removed ? ok(removed) : noSuchUser
  })
}

function sessions(app: FastifyInstance, context: Context): void {
  adminRoute(app, context, listSessionsRoute, ({ request: { params }, database }) =>
    ofUser(database, params.id, async (id) => {
      const found = await listSessions(database, id)
      return ok({ data: found.map(({ current: _, ...session }) => session) })
    }),
  )
  adminRoute(app, context, endSessionsRoute, ({ request: { params }, origin, database }) =>
    ofUser(database, params.id, async (id) =>
      ok({ id, sessions_ended: await endSessions(database, origin, id, undefined) }),
    ),
  )
  adminRoute(app, context, endSessionRoute, ({ request: { params }, origin, database }) =>
    ofUser(database, params.id, async (id) => {
      const ended = await endSessions(database, origin, id, params.session_id)
      return ended === 0
        ? notFound('The user has no session with this id.')
        : ok({ id, sessions_ended: ended })
    }),
  )
}

async function ofUser(
  database: Database,
  idOrEmail: string,
  act: (id: string) => Promise<Answer>,
): Promise<Answer> {
  const user = await findUser(database, idOrEmail)
  return user ? act(user.id) : noSuchUser
}

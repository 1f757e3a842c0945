import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { findUser } from '../directory/users.ts'
import { changeUser } from '../import/change-user.ts'
import { conflict, directoryBusy, ok, refused } from '../management/answers.ts'
import { eraseUser, exportUser } from '../persons/persons.ts'
import { reservedIn } from '../sandbox/data.ts'
import { adminRoute } from './admin-edge.ts'
import { eraseUserRoute, exportUserRoute, updateUserRoute } from './user-changes.operations.ts'
import { noSuchUser } from './users.routes.ts'

/** Changes of a user's data, with the use cases of `latchkey user update`, `user export` and `user erase`. */
export function userChangeRoutes(app: FastifyInstance, context: Context): void {
  const reserved = reservedIn(context.config)
  adminRoute(app, context, updateUserRoute, async ({ request: { params, body }, origin, database }) => {
    const outcome = await changeUser(database, origin, params.id, body, reserved)
    if (outcome.kind === 'unknown') return noSuchUser
    if (outcome.kind === 'busy') return directoryBusy
    if (outcome.kind === 'refused') return refused([`Nothing was changed: ${outcome.reasons.join('; ')}.`])
    const user = await findUser(database, outcome.id)
    return user ? ok(user) : noSuchUser
  })

  adminRoute(app, context, exportUserRoute, async ({ request: { params }, origin, database }) => {
    const exported = await exportUser(database, origin, params.id)
    return exported ? ok(exported) : noSuchUser
  })

  adminRoute(app, context, eraseUserRoute, async ({ request: { params }, origin, database }) => {
    const outcome = await eraseUser(database, origin, params.id)
    if (outcome.kind === 'unknown') return noSuchUser
    if (outcome.kind === 'active') {
      return conflict(
        `${outcome.id} is active. Remove the user from the platform's data, disable the user, and try again. Nothing was changed.`,
      )
    }
    const { id, grants, sessions, accountAccess } = outcome
    return ok({ id, grants, sessions, account_access: accountAccess })
  })
}

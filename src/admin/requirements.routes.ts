import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { listFirms, listRoles } from '../directory/requirements.sql.ts'
import { changeFirm, changeRole } from '../directory/requirements.ts'
import { notFound, ok } from '../management/answers.ts'
import { adminRoute } from './admin-edge.ts'
import {
  listFirmsRoute,
  listRolesRoute,
  updateFirmRoute,
  updateRoleRoute,
} from './requirements.operations.ts'

/** What firms and roles require of logins, with the use cases of `latchkey firm` and `latchkey role`. */
export function requirementRoutes(app: FastifyInstance, context: Context): void {
  adminRoute(app, context, listFirmsRoute, async ({ database }) =>
    ok({ data: await database.run(listFirms, []) }),
  )

  adminRoute(app, context, updateFirmRoute, async ({ request: { params, body }, origin, database }) => {
    const changes = { requireAcr: body.require_acr, localPasswords: body.local_passwords }
    const firm = await changeFirm(database, origin, params.id, changes)
    return firm ? ok(firm) : notFound('There is no firm with this id.')
  })

  adminRoute(app, context, listRolesRoute, async ({ database }) =>
    ok({ data: await database.run(listRoles, []) }),
  )

  adminRoute(app, context, updateRoleRoute, async ({ request: { params, body }, origin, database }) => {
    const role = await changeRole(database, origin, params.name, body.require_acr)
    return role ? ok(role) : notFound('There is no role with this name.')
  })
}

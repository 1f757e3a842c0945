import type { FastifyInstance } from 'fastify'
import { acrFaults } from '../acr.ts'
import type { Context } from '../context.ts'
import { listFirms, listRoles } from '../directory/requirements.sql.ts'
import { changeFirm, changeRole } from '../directory/requirements.ts'
import { may } from '../operators/scopes.ts'
import { DoneQuery, formText, pathText, textOrNull } from '../panel/fields.ts'
import Type, { type Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { showMissing } from './missing.tsx'
import { operatorPage } from './operator-page.ts'
import { SettingsPage } from './settings-page.tsx'

const url = '/admin/settings'

/** The configuration, which only the environment changes, and what firms and roles require. */
export function settingsRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  operatorPage<{ Querystring: Static<typeof DoneQuery> }>(
    app,
    context,
    web,
    { url, scope: 'settings:read', schema: { querystring: DoneQuery } },
    async ({ request, operator, csrf, show }) => {
      const [firms, roles] = await Promise.all([database.run(listFirms, []), database.run(listRoles, [])])
      const body = (
        <SettingsPage
          config={config}
          firms={firms}
          roles={roles}
          isSaved={request.query.done === 'saved'}
          csrf={csrf}
          mayWrite={may(operator, 'settings:write')}
        />
      )
      return show({ title: 'Settings', section: 'settings', body })
    },
  )
  requirements(app, context, web)
}

const params = Type.Object({ id: pathText })
const Requirement = Type.Object({ require_acr: formText(100), local_passwords: formText(10) })
type RequirementRoute = { Params: Static<typeof params>; Body: Static<typeof Requirement> }

function requirements(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database } = context
  const schema = { params, body: Requirement }
  const route = { method: 'POST', scope: 'settings:write', schema } as const
  operatorPage<RequirementRoute>(
    app,
    context,
    web,
    { ...route, url: `${url}/firms/:id` },
    async ({ request, reply, origin, show }) => {
      const requireAcr = textOrNull(request.body.require_acr)
      const localPasswords = request.body.local_passwords === 'true'
      const changes = { requireAcr, localPasswords }
      const isFit = acrFaults(requireAcr).length === 0
      const changed = isFit && (await changeFirm(database, origin, request.params.id, changes))
      return changed ? reply.redirect(`${url}?done=saved`, 303) : showMissing(show, 'settings', 'firm')
    },
  )
  operatorPage<RequirementRoute>(
    app,
    context,
    web,
    { ...route, url: `${url}/roles/:id` },
    async ({ request, reply, origin, show }) => {
      const requireAcr = textOrNull(request.body.require_acr)
      const isFit = acrFaults(requireAcr).length === 0
      const changed = isFit && (await changeRole(database, origin, request.params.id, requireAcr))
      return changed ? reply.redirect(`${url}?done=saved`, 303) : showMissing(show, 'settings', 'role')
    },
  )
}

import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { DeveloperRole } from '../developer-keys/roles.ts'
import { type InviteFields, MemberPage } from '../developer-pages/people-pages.tsx'
import { developersOfPartner } from '../developers/developers.ts'
import { changeMember, inviteDeveloper, removeMember } from '../developers/members.ts'
import { may } from '../operators/scopes.ts'
import { DoneQuery, formText, pathText } from '../panel/fields.ts'
import { findListedPartner } from '../partners/partners.sql.ts'
import Type, { type Static } from '../typebox.ts'
import { DeveloperList, InvitedPage, InvitePage } from './developer-pages.tsx'
import type { ConsoleWeb } from './edge.ts'
import { showMissing } from './missing.tsx'
import { type OperatorRequest, operatorPage } from './operator-page.ts'
import { PartnerParams, type PartnerRoute, partnerAddress } from './partners.routes.tsx'

const url = '/admin/partners/:client_id/developers'
const scope = 'partners:write' as const
const section = 'partners' as const
const params = PartnerParams

const addressOf = (clientId: string) => `${partnerAddress(clientId)}/developers`

/** The people of a partner. */
export function developerRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database } = context
  operatorPage<PartnerRoute & { Querystring: Static<typeof DoneQuery> }>(
    app,
    context,
    web,
    { url, scope: 'partners:read', schema: { params, querystring: DoneQuery } },
    async ({ request, operator, show }) => {
      const partner = await database.maybe(findListedPartner, [request.params.client_id])
      if (!partner) return showMissing(show, section, 'partner')
      const developers = await developersOfPartner(database, partner.client_id)
      const shown = { partner, developers, mayWrite: may(operator, scope), done: request.query.done }
      const body = <DeveloperList address={addressOf(partner.client_id)} {...shown} />
      return show({ title: `Developers of ${partner.name}`, section, body })
    },
  )
  invitation(app, context, web)
  membership(app, context, web)
}

const InviteBody = Type.Object({ email: formText(254), name: formText(200), role: DeveloperRole })

function invitation(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  const route = { url: `${url}/invite`, scope, recent: true } as const
  const showForm = (
    { request, csrf, show }: Pick<OperatorRequest<PartnerRoute>, 'request' | 'csrf' | 'show'>,
    fields: InviteFields,
    faults: string[] = [],
  ) => {
    const address = addressOf(request.params.client_id)
    const body = <InvitePage address={address} csrf={csrf} fields={fields} faults={faults} />
    return show({ title: 'Invite a developer', section, body }, faults.length > 0 ? 422 : 200)
  }
  operatorPage<PartnerRoute>(app, context, web, { ...route, schema: { params } }, async (exchange) => {
    const partner = await database.maybe(findListedPartner, [exchange.request.params.client_id])
    return partner ? showForm(exchange, { role: 'admin' }) : showMissing(exchange.show, section, 'partner')
  })

  operatorPage<PartnerRoute & { Body: Static<typeof InviteBody> }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { params, body: InviteBody } },
    async ({ request, origin, csrf, show }) => {
      const { client_id: clientId } = request.params
      const { email = '', name = '', role } = request.body
      const by = { config, by: 'operator' } as const
      const outcome = await inviteDeveloper(database, origin, by, { clientId, email, name, role })
      if (outcome.kind === 'unknown') return showMissing(show, section, 'partner')
      if (outcome.kind === 'refused') {
        return showForm({ request, csrf, show }, request.body, [`${outcome.reasons.join('; ')}.`])
      }
      const body = <InvitedPage address={addressOf(clientId)} email={email} outcome={outcome} />
      return show({ title: 'Invite a developer', section, body })
    },
  )
}

const DeveloperParams = Type.Object({ client_id: pathText, id: pathText })
const RoleBody = Type.Object({ role: DeveloperRole })
type DeveloperRoute = { Params: Static<typeof DeveloperParams> }

function membership(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database } = context
  const route = { url: `${url}/:id`, scope, recent: true } as const
  const schema = { params: DeveloperParams }
  operatorPage<DeveloperRoute>(app, context, web, { ...route, schema }, async ({ request, csrf, show }) => {
    const { client_id: clientId, id } = request.params
    const developers = await developersOfPartner(database, clientId)
    const member = developers.find((developer) => developer.id === id)
    if (!member) return showMissing(show, section, 'developer')
    const body = <MemberPage people={addressOf(clientId)} member={member} csrf={csrf} faults={[]} />
    return show({ title: member.email, section, body })
  })

  operatorPage<DeveloperRoute & { Body: Static<typeof RoleBody> }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { ...schema, body: RoleBody } },
    async ({ request, reply, origin, show }) => {
      const { client_id: clientId, id: developer } = request.params
      const change = { clientId, developer, role: request.body.role }
      const outcome = await changeMember(database, origin, 'operator', change)
      if (outcome.kind !== 'done') return showMissing(show, section, 'developer')
      return reply.redirect(`${addressOf(clientId)}?done=role`, 303)
    },
  )

  operatorPage<DeveloperRoute>(
    app,
    context,
    web,
    { ...route, method: 'POST', url: `${url}/:id/remove`, schema },
    async ({ request, reply, origin, show }) => {
      const { client_id: clientId, id: developer } = request.params
      const outcome = await removeMember(database, origin, 'operator', { clientId, developer })
      if (outcome.kind !== 'done') return showMissing(show, section, 'developer')
      return reply.redirect(`${addressOf(clientId)}?done=removed`, 303)
    },
  )
}

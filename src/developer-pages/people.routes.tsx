import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Context } from '../context.ts'
import type { Database } from '../database/database.ts'
import { DeveloperRole } from '../developer-keys/roles.ts'
import { membersOf } from '../developers/members.sql.ts'
import { changeMember, inviteDeveloper, removeMember } from '../developers/members.ts'
import { DoneQuery, formText } from '../panel/fields.ts'
import { Done, PageHead } from '../panel/page-parts.tsx'
import Type, { type Static } from '../typebox.ts'
import { type DeveloperRequest, developerPage } from './developer-page.ts'
import type { DeveloperWeb } from './edge.ts'
import { appUrl, IdParams, type IdRoute, showMissing } from './parts.tsx'
import { type InviteFields, InviteForm, MemberPage, PeopleList } from './people-pages.tsx'
import { appAddress } from './shell.tsx'

const url = `${appUrl}/people` as const
const section = 'people' as const

const done: Record<string, string> = {
  invited: 'The invitation is on its way by mail.',
  member: 'This address belongs to a developer of this application already. The role is as it was.',
  role: 'The role is changed. It applies with the next request.',
  removed: 'The developer no longer has access to this application.',
}

/** The people of an application. Only its administrators see and change them. */
export function peopleRoutes(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { config, database } = context
  developerPage<{ Querystring: Static<typeof DoneQuery> }>(
    app,
    context,
    web,
    { url, role: 'admin', schema: { querystring: DoneQuery } },
    async ({ request, app: current, show }) => {
      const members = await database.run(membersOf, [current.clientId])
      const invite = config.mail && appAddress(current, '/people/invite')
      const text = done[request.query.done ?? '']
      const list = <PeopleList app={current} members={members} invite={invite} />
      const body = [text && <Done key="done">{text}</Done>, list]
      return show({ title: 'People', section, body })
    },
  )
  invitation(app, context, web)
  membership(app, context, web)
}

const InviteBody = Type.Object({ email: formText(254), name: formText(200), role: DeveloperRole })

function invitation(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { config, database } = context
  const route = { url: `${url}/invite`, role: 'admin', recent: true } as const
  const page = (
    { app: current, csrf }: Pick<DeveloperRequest<object>, 'app' | 'csrf'>,
    fields: InviteFields,
    faults: string[] = [],
  ) => {
    const title = 'Invite a developer'
    const head = (
      <PageHead key="head" title={title} back={{ label: 'People', href: appAddress(current, '/people') }} />
    )
    const action = appAddress(current, '/people/invite')
    const form = <InviteForm key="form" action={action} csrf={csrf} fields={fields} faults={faults} />
    return { title, section, body: [head, form] }
  }
  developerPage(app, context, web, route, async (exchange) => exchange.show(page(exchange, {})))

  developerPage<{ Body: Static<typeof InviteBody> }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { body: InviteBody } },
    async (exchange) => {
      const { request, reply, origin, app: current, show } = exchange
      const { email = '', name = '', role } = request.body
      const invited = { clientId: current.clientId, email, name, role }
      const outcome = await inviteDeveloper(database, origin, { config, by: 'admin' }, invited)
      switch (outcome.kind) {
        case 'invited':
          return reply.redirect(appAddress(current, '/people?done=invited'), 303)
        case 'was_member':
          return reply.redirect(appAddress(current, '/people?done=member'), 303)
        case 'refused':
          return show(page(exchange, request.body, outcome.reasons.map(sentence)), 422)
        case 'unknown':
          return showMissing(show, section, 'application')
      }
    },
  )
}

/** `email: is empty` as a sentence. */
function sentence(reason: string): string {
  const text = reason.charAt(0).toUpperCase() + reason.slice(1)
  return text.endsWith('.') ? text : `${text}.`
}

const RoleBody = Type.Object({ role: DeveloperRole })

const lastAdmin =
  'Nothing was changed: this is the only administrator who uses this application. Make another developer an administrator first, or ask the operator of this API.'

function membership(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { database } = context
  const route = { url: `${url}/:id`, role: 'admin', recent: true } as const
  const showMember = (exchange: DeveloperRequest<IdRoute>, faults: string[] = []) =>
    sendMember(database, exchange, faults)
  developerPage<IdRoute>(app, context, web, { ...route, schema: { params: IdParams } }, (exchange) =>
    showMember(exchange),
  )

  developerPage<IdRoute & { Body: Static<typeof RoleBody> }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { params: IdParams, body: RoleBody } },
    async (exchange) => {
      const { request, reply, origin, app: current } = exchange
      const change = { clientId: current.clientId, developer: request.params.id, role: request.body.role }
      const outcome = await changeMember(database, origin, 'admin', change)
      if (outcome.kind === 'not_found') return showMissing(exchange.show, section, 'developer')
      if (outcome.kind === 'last_admin') return showMember(exchange, [lastAdmin])
      return reply.redirect(appAddress(current, '/people?done=role'), 303)
    },
  )

  developerPage<IdRoute>(
    app,
    context,
    web,
    { ...route, method: 'POST', url: `${url}/:id/remove`, schema: { params: IdParams } },
    async (exchange) => {
      const { request, reply, origin, app: current, developer } = exchange
      const removed = { clientId: current.clientId, developer: request.params.id }
      const outcome = await removeMember(database, origin, 'admin', removed)
      if (outcome.kind === 'not_found') return showMissing(exchange.show, section, 'developer')
      if (outcome.kind === 'last_admin') return showMember(exchange, [lastAdmin])
      const isSelf = outcome.id === developer.id
      return reply.redirect(isSelf ? '/developers' : appAddress(current, '/people?done=removed'), 303)
    },
  )
}

/** The page of a developer. With faults, nothing was changed. */
async function sendMember(
  database: Database,
  exchange: DeveloperRequest<IdRoute>,
  faults: string[],
): Promise<FastifyReply> {
  const { request, app: current, developer, csrf, show } = exchange
  const members = await database.run(membersOf, [current.clientId])
  const member = members.find(({ id }) => id === request.params.id)
  if (!member) return showMissing(show, section, 'developer')
  const isSelf = member.id === developer.id
  const body = (
    <MemberPage
      people={appAddress(current, '/people')}
      member={member}
      isSelf={isSelf}
      csrf={csrf}
      faults={faults}
    />
  )
  return show({ title: member.email, section, body }, faults.length > 0 ? 422 : 200)
}

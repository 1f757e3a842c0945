import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import type { Queries } from '../database/database.ts'
import { type DeveloperOfPartner, developersOfPartner } from '../developers/developers.ts'
import { changeMember, inviteDeveloper, removeMember } from '../developers/members.ts'
import { foldCase } from '../directory/case-folding.ts'
import { type Answer, created, notFound, ok, refused } from '../management/answers.ts'
import { findListedPartner } from '../partners/partners.sql.ts'
import { adminAddress } from './admin-document.ts'
import { adminRoute } from './admin-edge.ts'
import {
  changeDeveloperRoute,
  inviteDeveloperRoute,
  listDevelopersRoute,
  removeDeveloperRoute,
} from './developers.operations.ts'

const noSuchPartner = notFound('There is no partner with this client id.')
const noSuchDeveloper = notFound('The partner has no developer with this id or address.')

/** The people of a partner, with the use cases of `latchkey developer`. */
export function developerRoutes(app: FastifyInstance, context: Context): void {
  const { config } = context
  adminRoute(app, context, listDevelopersRoute, async ({ request: { params }, database }) => {
    const partner = await database.maybe(findListedPartner, [params.client_id])
    return partner ? ok({ data: await developersOfPartner(database, params.client_id) }) : noSuchPartner
  })

  adminRoute(app, context, inviteDeveloperRoute, async ({ request: { params, body }, origin, database }) => {
    const { client_id: clientId } = params
    const by = { config, by: 'operator' } as const
    const outcome = await inviteDeveloper(database, origin, by, { clientId, ...body })
    if (outcome.kind === 'unknown') return noSuchPartner
    if (outcome.kind === 'refused') return refused([`Nothing was changed: ${outcome.reasons.join('; ')}.`])
    const secrets = outcome.link && { setup_url: outcome.link.link }
    const developer = await find(database, clientId, outcome.id)
    return created(adminAddress(config, 'partners', clientId, 'developers', outcome.id), developer, secrets)
  })

  adminRoute(app, context, changeDeveloperRoute, async ({ request: { params, body }, origin, database }) => {
    const { client_id: clientId, id } = params
    const change = { clientId, developer: id, role: body.role }
    const outcome = await changeMember(database, origin, 'operator', change)
    return outcome.kind === 'done' ? shown(await find(database, clientId, outcome.id)) : noSuchDeveloper
  })

  adminRoute(app, context, removeDeveloperRoute, async ({ request: { params }, origin, database }) => {
    const { client_id: clientId, id } = params
    const developer = await find(database, clientId, id)
    const outcome = await removeMember(database, origin, 'operator', { clientId, developer: id })
    return outcome.kind === 'done' ? shown(developer) : noSuchDeveloper
  })
}

async function find(
  database: Queries,
  clientId: string,
  idOrEmail: string,
): Promise<DeveloperOfPartner | undefined> {
  const developers = await developersOfPartner(database, clientId)
  return developers.find(({ id, email }) => id === idOrEmail || foldCase(email) === foldCase(idOrEmail))
}

function shown(developer: DeveloperOfPartner | undefined): Answer {
  return developer ? ok(developer) : noSuchDeveloper
}
